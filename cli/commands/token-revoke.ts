import { Command } from "commander";
import { parseTokenId, type TokenId } from "../../core/ids.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { editRegistry } from "../tokens/edit-registry.ts";
import { revoked } from "../tokens/issue-token.ts";

/** `token revoke`: ends tokens, all of them or none, in one write. */
export function tokenRevoke(shell: Shell): Command {
  return new Command()
    .argument("<token-id...>", "the tokens to end")
    .option("--json", "print an object for programs", false)
    .action(
      action(shell, (tokenIds: readonly string[], flags: { readonly json: boolean }) =>
        run(shell, tokenIds.map(parseTokenId), flags.json),
      ),
    );
}

// On any store: what keeps conditional writes from being honoured must not keep a token alive.
async function run(shell: Shell, tokenIds: readonly TokenId[], json: boolean): Promise<ExitStatus> {
  const now = shell.now();
  await withStore(settingsOf(shell), (store) =>
    editRegistry(store, (tokens) => revoked(tokens, tokenIds, now)),
  );
  if (json) printJson(shell, { revoked: tokenIds });
  else shell.stderr.write(`Revoked: ${tokenIds.join(", ")}\n`);
  return 0;
}
