import { parseTenantId } from "../../core/ids.ts";
import { auditText } from "../operate/audit/audit-text.ts";
import { readAudit } from "../operate/audit/read-audit.ts";
import { assertKnownTenant } from "../operate/tenants/known-tenant.ts";
import { layoutOf } from "../output/layout.ts";
import { printJson } from "../shell/shell.ts";
import { defaulted, json, storeCommand, value } from "./command.ts";
import { instantBefore, wholeNumber } from "./option-values.ts";

/** `audit list`: who changed what for partners, newest first. */
export const auditList = storeCommand(
  {
    tenant: value("<id>", "only what concerns this tenant", parseTenantId),
    since: value(
      "<when>",
      "only records since then: a date and time of RFC 3339, or 90d, 12h, 2w ago",
      instantBefore,
    ),
    // The records are held in memory. Most have a few hundred bytes.
    limit: defaulted("<n>", "how many records, the newest first", wholeNumber(1, 10_000), 100),
    json,
  },
  async (shell, { tenant, since, limit, json }, store) => {
    const { signal, stderr } = shell;
    const { records, hasOlder, faults } = await readAudit(store, { tenantId: tenant, since, limit }, signal);
    if (tenant !== undefined && records.length === 0) await assertKnownTenant(store, tenant, signal);
    if (json) return printJson(shell, { records, hasOlder, faults });
    if (records.length > 0) shell.stdout.write(auditText(records, layoutOf(shell)));
    else stderr.write("No record. Commands that change something for partners leave one.\n");
    if (hasOlder) stderr.write(`Older records are not shown; --limit ${limit} may be raised.\n`);
    for (const fault of faults) stderr.write(`damaged: ${fault}\n`);
  },
);
