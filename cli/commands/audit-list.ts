import { parseTenantId } from "../../core/ground/ids.ts";
import { printable } from "../../core/ground/printable.ts";
import type { AuditDocument } from "../../schemas/generated/types.ts";
import { type Layout, layoutOf, table } from "../output/layout.ts";
import { exactTime } from "../output/words.ts";
import { changeWords } from "../read/administration/change-words.ts";
import { assertKnownTenant } from "../read/administration/known-tenant.ts";
import { readAudit } from "../read/administration/read-audit.ts";
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

/** The records, newest first. */
function auditText(records: readonly AuditDocument[], { zone }: Layout): string {
  return table(
    ["WHEN", "COMMAND", "TENANT", "WHO", "END", "WHAT", "REASON"],
    records.map((record) => [
      exactTime(record.at, zone),
      printable(record.command),
      tenantWords(record),
      printable(`${record.actor.user}@${record.actor.host}`),
      // P85: a record that only began does not say that the change was made.
      record.outcome === "begun" ? "not recorded" : record.outcome,
      printable(outcomeWords(record)),
      printable(record.reason ?? "-"),
    ]),
  );
}

function tenantWords({ tenants }: AuditDocument): string {
  const [first, second] = tenants;
  if (first === undefined) return "-";
  return second === undefined || tenants.length === 2
    ? tenants.join(", ")
    : `${first} and ${tenants.length - 1} more`;
}

/** What changed, in one line. */
function outcomeWords({ outcome, changes, changesOmitted, failure }: AuditDocument): string {
  const words = changeWords(changes, changesOmitted);
  if (outcome === "begun") {
    return `was about to change${words === "" ? "" : `: ${words}`}; whether it did is not recorded`;
  }
  const all = [words, failure === null ? "" : `failed: ${failure.message}`].filter((text) => text !== "");
  return all.length === 0 ? "nothing changed" : all.join("; ");
}
