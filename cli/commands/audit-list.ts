import { parseTenantId } from "../../core/ids.ts";
import { printable } from "../../core/printable.ts";
import type { AuditDocument, LiveState, TokenState } from "../../schemas/generated/types.ts";
import type { AuditChange } from "../operate/audit/audit.ts";
import { readAudit } from "../operate/audit/read-audit.ts";
import { assertKnownTenant } from "../operate/tenants/known-tenant.ts";
import { type Layout, layoutOf, table } from "../output/layout.ts";
import { exactTime } from "../output/words.ts";
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
      printable(changeWords(record)),
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

/** What changed, in one line: the first changes, and how many more. */
function changeWords({ outcome, changes, changesOmitted, failure }: AuditDocument): string {
  const shown = changes.slice(0, maxShown).map(changePhrase);
  const more = changes.length - shown.length + changesOmitted;
  const parts = more > 0 ? [...shown, `and ${more} more`] : shown;
  if (outcome === "begun") {
    const planned = parts.length === 0 ? "" : `: ${parts.join("; ")}`;
    return `was about to change${planned}; whether it did is not recorded`;
  }
  const failed = failure === null ? [] : [`failed: ${failure.message}`];
  const all = [...parts, ...failed];
  return all.length === 0 ? "nothing changed" : all.join("; ");
}

const maxShown = 3;

function changePhrase(change: AuditChange): string {
  switch (change.kind) {
    case "token":
      return tokenPhrase(change.tokenId, change.before, change.after);
    case "snapshot":
      return `${change.tenantId}: ${livePhrase(change.before)} → ${livePhrase(change.after)}`;
    case "deletion":
      return `${change.tenantId}: ${change.deletedObjects} object(s) deleted`;
    case "removal":
      return `${change.tenantId} removed${change.isPurged ? " with its objects" : ""}`;
  }
}

function tokenPhrase(tokenId: string, before: TokenState | null, after: TokenState): string {
  if (before === null) return `${tokenId} issued${after.name === null ? "" : ` (${after.name})`}`;
  if (before.tenantId !== after.tenantId)
    return `${tokenId} moved from ${before.tenantId} to ${after.tenantId}`;
  if (before.revokedAt === null && after.revokedAt !== null) return `${tokenId} revoked`;
  return `${tokenId} ends ${after.expiresAt ?? "never"} instead of ${before.expiresAt ?? "never"}`;
}

function livePhrase(state: LiveState | null): string {
  if (state === null) return "nothing";
  const { snapshotId, programs, isHeld } = state;
  const count = programs === null ? "" : ` (${programs})`;
  return `${snapshotId}${count}${isHeld === true ? ", held" : ""}`;
}
