import { Command } from "commander";
import { printable } from "../../core/printable.ts";
import { withSourceReading } from "../database/with-source-reading.ts";
import { layoutOf, readerOf } from "../output/layout.ts";
import { readTenants } from "../publish/source/read-tenants.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { listTenants } from "../support/tenant-list.ts";
import { statusTable, tenantListJson } from "../support/texts/status.ts";
import { type BuildWithin, buildWithinOption } from "./build-within-option.ts";

/** `tenant list`: which tenants the source, the store and the tokens have. */
export function tenantList(shell: Shell): Command {
  return new Command()
    .addOption(buildWithinOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(
  shell: Shell,
  { json, buildWithin }: BuildWithin & { readonly json: boolean },
): Promise<ExitStatus> {
  const settings = settingsOf(shell);
  const { signal } = shell;
  const askSource = () => withSourceReading(settings, signal, readTenants);
  const reader = { ...readerOf(shell), buildWithinMs: buildWithin };
  const { report, list } = await withStore(settings, (store) =>
    listTenants(store, askSource, reader, signal),
  );
  const { away } = list;
  if (json) printJson(shell, tenantListJson(report, list, reader.now));
  else if (report.tenants.length > 0) shell.stdout.write(statusTable(report, layoutOf(shell), list));
  else shell.stderr.write("No tenant. Fill the source, then run `snapshot build`.\n");
  const reasons = Object.entries(away).filter(([, reason]) => reason !== null);
  for (const [side, reason] of json ? [] : reasons) {
    shell.stderr.write(`partner-programs: the ${side} could not be asked: ${printable(reason ?? "")}\n`);
  }
  return reasons.length === 0 ? 0 : 3;
}
