import { Command } from "commander";
import type { TenantId } from "../../core/ids.ts";
import { assertPublished } from "../operate/tokens/assert-published.ts";
import { readRegistry } from "../operate/tokens/edit-registry.ts";
import { listedToken, tokenListText } from "../operate/tokens/token-text.ts";
import { layoutOf, printText } from "../output/layout.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { asTenantId } from "./option-values.ts";

interface ListFlags {
  readonly tenant?: TenantId;
  readonly json: boolean;
}

/** `token list`: every token ever issued, with its status. Plaintexts are stored nowhere, so it cannot show them. */
export function tokenList(shell: Shell): Command {
  return new Command()
    .option("--tenant <id>", "only this tenant's", asTenantId)
    .option("--json", "print an array of objects", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { tenant, json }: ListFlags): Promise<ExitStatus> {
  const now = shell.now();
  const tokens = await withStore(settingsOf(shell), async (store) => {
    const { registry } = await readRegistry(store);
    if (tenant === undefined) return registry.tokens;
    const own = registry.tokens.filter(({ tenantId }) => tenantId === tenant);
    // No token names the tenant, so only a snapshot can show that its id is right.
    if (own.length === 0) await assertPublished(store, tenant, shell.signal);
    return own;
  });
  const listed = tokens.map((token) => listedToken(token, now));
  if (json) printJson(shell, listed);
  else if (tokens.length === 0) shell.stderr.write("No tokens. Issue one with `token create --tenant ID`.\n");
  else printText(shell, tokenListText(tokens, layoutOf(shell)));
  return 0;
}
