import { asFailure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { AuditDocument } from "../../../schemas/generated/types.ts";
import { readAudit } from "../../operate/audit/read-audit.ts";
import type { Hold } from "../standing/tenant-way.ts";

/** Who held a tenant, and what for. */
export type HeldBy = Pick<AuditDocument, "actor" | "reason">;

/** A command that holds a tenant is done within this time. */
const longestMs = 3_600_000;
/** Other changes of the tenant in that time. */
const maxRecords = 100;

/** What the audit says of a hold; `null` when it has no record of it, or cannot be read. */
export async function heldBy(
  store: ObjectStore,
  tenantId: TenantId,
  { since }: Hold,
  signal: AbortSignal,
): Promise<HeldBy | null> {
  const until = new Date(since);
  const query = { tenantId, since: new Date(until.getTime() - longestMs), until, limit: maxRecords };
  try {
    const { records } = await readAudit(store, query, signal);
    const holds = ({ changes }: AuditDocument): boolean =>
      changes.some((change) => change.kind === "snapshot" && change.after?.isHeld === true);
    return records.find((record) => record.outcome === "done" && holds(record)) ?? null;
  } catch (error) {
    if (signal.aborted) throw error;
    if (asFailure(error).code === "internal") throw error;
    return null;
  }
}
