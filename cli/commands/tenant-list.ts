import { printable } from "../../core/printable.ts";
import { withSourceReading } from "../database/with-database-url.ts";
import { layoutOf, readerOf } from "../output/layout.ts";
import { readTenants } from "../publish/source/read-tenants.ts";
import { printJson, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { listTenants } from "../support/tenant-list.ts";
import { statusTable, tenantListJson } from "../support/texts/status.ts";
import { command, json } from "./command.ts";
import { buildWithin } from "./option-values.ts";

/** `tenant list`: which tenants the source, the store and the tokens have. */
export const tenantList = command({ buildWithin, json }, async (shell, { buildWithin, json }) => {
  const settings = settingsOf(shell);
  const { signal } = shell;
  const askSource = () => withSourceReading(settings, signal, readTenants);
  const reader = { ...readerOf(shell), buildWithinMs: buildWithin };
  const { report, list } = await withStore(settings, (store) =>
    listTenants(store, askSource, reader, signal),
  );
  if (json) printJson(shell, tenantListJson(report, list, reader.now));
  else if (report.tenants.length > 0) shell.stdout.write(statusTable(report, layoutOf(shell), list));
  else shell.stderr.write("No tenant. Fill the source, then run `snapshot build`.\n");
  const reasons = Object.entries(list.away).filter(([, reason]) => reason !== null);
  for (const [side, reason] of json ? [] : reasons) {
    shell.stderr.write(`partner-programs: the ${side} could not be asked: ${printable(reason ?? "")}\n`);
  }
  return reasons.length === 0 ? 0 : 3;
});
