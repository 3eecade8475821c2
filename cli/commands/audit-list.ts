import { Command } from "commander";
import type { TenantId } from "../../core/ids.ts";
import { auditText } from "../operate/audit/audit-text.ts";
import { readAudit } from "../operate/audit/read-audit.ts";
import { assertKnownTenant } from "../operate/tenants/known-tenant.ts";
import { layoutOf } from "../output/layout.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { asTenantId, instantBefore, wholeNumber } from "./option-values.ts";

interface ListFlags {
  readonly tenant?: TenantId;
  readonly since?: Date;
  readonly limit: number;
  readonly json: boolean;
}

/** `audit list`: who changed what for partners, newest first. */
export function auditList(shell: Shell): Command {
  return new Command()
    .option("--tenant <id>", "only what concerns this tenant", asTenantId)
    .option(
      "--since <when>",
      "only records since then: a date and time of RFC 3339, or 90d, 12h, 2w ago",
      instantBefore(shell.now),
    )
    .option("--limit <n>", "how many records, the newest first", wholeNumber(1, maxLimit), 100)
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { tenant, since, limit, json }: ListFlags): Promise<ExitStatus> {
  const { records, hasOlder, faults } = await withStore(settingsOf(shell), async (store) => {
    const read = await readAudit(store, { tenantId: tenant, since, limit }, shell.signal);
    if (tenant !== undefined && read.records.length === 0) {
      await assertKnownTenant(store, tenant, shell.signal);
    }
    return read;
  });
  if (json) printJson(shell, { records, hasOlder, faults });
  else if (records.length === 0)
    shell.stderr.write("No record. Commands that change something for partners leave one.\n");
  else shell.stdout.write(auditText(records, layoutOf(shell)));
  if (!json && hasOlder) shell.stderr.write(`Older records are not shown; --limit ${limit} may be raised.\n`);
  for (const fault of json ? [] : faults) shell.stderr.write(`damaged: ${fault}\n`);
  return 0;
}

/** The records are held in memory. Most have a few hundred bytes. */
const maxLimit = 10_000;
