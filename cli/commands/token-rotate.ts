import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import { parseTokenId, type TokenId } from "../../core/ids.ts";
import { type RegisteredToken, tokenStatus } from "../../core/token-registry.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type Shell } from "../shell/shell.ts";
import { withCheckedStore } from "../store-check/with-checked-store.ts";
import { editRegistry } from "../tokens/edit-registry.ts";
import { type IssuedToken, issueToken, revoked } from "../tokens/issue-token.ts";
import { parsedOption } from "./parsed-option.ts";
import { printIssuedToken } from "./print-token.ts";

/** `token rotate`: a new token on the same terms; the old one is revoked in the same write (T6). */
export function tokenRotate(shell: Shell): Command {
  return new Command()
    .argument("<token-id>", "the token to replace", parsedOption(parseTokenId))
    .option("--json", "print one object with the token and its metadata", false)
    .action(
      action(shell, (tokenId: TokenId, flags: { readonly json: boolean }) => run(shell, tokenId, flags.json)),
    );
}

async function run(shell: Shell, tokenId: TokenId, json: boolean): Promise<ExitStatus> {
  const now = shell.now();
  await withCheckedStore(shell, async (store) => {
    let issued: IssuedToken | undefined;
    await editRegistry(store, (tokens) => {
      const old = activeToken(tokens, tokenId, now);
      // One token for all attempts: what was possibly stored by a lost write must be what is printed.
      issued ??= issueToken(old, tokenId, now, shell.randomBytes);
      return [...revoked(tokens, [tokenId], now), issued.entry];
    });
    if (issued !== undefined) printIssuedToken(shell, issued, json);
  });
  return 0;
}

function activeToken(tokens: readonly RegisteredToken[], tokenId: TokenId, now: Date): RegisteredToken {
  const token = tokens.find((candidate) => candidate.tokenId === tokenId);
  if (token === undefined) throw new Failure("not_found", `No token ${tokenId}; see \`token list\`.`);
  const status = tokenStatus(token, now);
  if (status === "active") return token;
  throw new Failure("usage", `Token ${tokenId} is ${status}; create a new one with \`token create\`.`);
}
