import { Command } from "commander";
import { printable } from "../../core/printable.ts";
import { withSourceReading } from "../database/with-source-reading.ts";
import { layoutOf, printText, readerOf } from "../output/layout.ts";
import { readTenants } from "../publish/source/read-tenants.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { listTenants, tenantListText } from "../support/tenant-list.ts";

/** `tenant list`: which tenants the source, the store and the tokens have. */
export function tenantList(shell: Shell): Command {
  return new Command()
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { json }: { readonly json: boolean }): Promise<ExitStatus> {
  const settings = settingsOf(shell);
  const { signal } = shell;
  const askSource = () => withSourceReading(settings, signal, readTenants);
  const list = await withStore(settings, (store) => listTenants(store, askSource, readerOf(shell), signal));
  const { tenants, away } = list;
  if (json) printJson(shell, { tenants, unavailable: away });
  else if (tenants.length > 0) printText(shell, tenantListText(list, layoutOf(shell)));
  else shell.stderr.write("No tenant. Fill the source, then run `snapshot build`.\n");
  const reasons = Object.entries(away).filter(([, reason]) => reason !== null);
  for (const [side, reason] of json ? [] : reasons) {
    shell.stderr.write(`partner-programs: the ${side} could not be asked: ${printable(reason ?? "")}\n`);
  }
  return reasons.length === 0 ? 0 : 3;
}
