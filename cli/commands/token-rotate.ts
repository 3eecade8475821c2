import { Command } from "commander";
import type { TokenId } from "../../core/ids.ts";
import { auditedStatus, withAudit } from "../operate/audit/with-audit.ts";
import { activeToken } from "../operate/tokens/active-token.ts";
import { editRecorded } from "../operate/tokens/edit-registry.ts";
import { type IssuedToken, issueToken, revoked } from "../operate/tokens/issue-token.ts";
import { withCheckedStore } from "../publish/store/with-checked-store.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type Shell } from "../shell/shell.ts";
import { asTokenId } from "./option-values.ts";
import { printIssuedToken } from "./print-token.ts";
import { type ReasonFlag, reasonOption } from "./reason-option.ts";

interface RotateFlags extends ReasonFlag {
  readonly json: boolean;
}

/** `token rotate`: a new token on the same terms; the old one is revoked in the same write (T6). */
export function tokenRotate(shell: Shell): Command {
  return new Command()
    .argument("<token-id>", "the token to replace", asTokenId)
    .addOption(reasonOption())
    .option("--json", "print one object with the token and its metadata", false)
    .action(action(shell, run));
}

async function run(shell: Shell, tokenId: TokenId, { json, reason }: RotateFlags): Promise<ExitStatus> {
  const now = shell.now();
  const request = { command: "token rotate", tenants: [], reason };
  return await withCheckedStore(shell, async (checked) => {
    const { result: issued, unrecorded } = await withAudit(shell, checked, request, async (store, audit) => {
      let issued: IssuedToken | undefined;
      await editRecorded(store, audit, (tokens) => {
        const old = activeToken(tokens, tokenId, now);
        // All attempts store the same token, because an attempt whose answer was lost may have stored it.
        issued ??= issueToken(old, tokenId, now, shell.randomBytes);
        return [...revoked(tokens, [tokenId], now), issued.entry];
      });
      return issued;
    });
    if (issued !== undefined) printIssuedToken(shell, issued, json);
    return auditedStatus(shell, unrecorded);
  });
}
