import { asFailure } from "../../../core/failure.ts";
import { type SnapshotId, snapshotId, type TenantId } from "../../../core/ids.ts";
import { readBody } from "../../../core/object-body.ts";
import { auditPrefix, type ObjectKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { AuditDocument } from "../../../schemas/generated/types.ts";
import { maxRecordBytes, parseAuditRecord, recordKey } from "./audit-record.ts";

/** The record of a command's call: its end, or its beginning when there is no end. */
export type AuditEntry = AuditDocument;

export interface AuditQuery {
  readonly tenantId: TenantId | undefined;
  /** Records from this instant on; the keys of older ones are not even listed (P87). */
  readonly since: Date | undefined;
  /** At most so many records, the newest. */
  readonly limit: number;
}

export interface AuditReading {
  /** Newest first. */
  readonly records: readonly AuditEntry[];
  /** Whether older records fit. */
  readonly hasOlder: boolean;
  /** Objects that are no records, in words. */
  readonly faults: readonly string[];
}

/** P87: memory is bounded by `limit`, however many records there are. */
export async function readAudit(
  store: ObjectStore,
  query: AuditQuery,
  signal: AbortSignal,
): Promise<AuditReading> {
  const { limit, tenantId } = query;
  const records: AuditEntry[] = [];
  const faults: string[] = [];
  let hasOlder = false;
  const keep = (record: AuditEntry): void => {
    const isWanted = tenantId === undefined || concerns(record, tenantId);
    if (!isWanted) return;
    records.push(record);
    if (records.length <= limit) return;
    records.shift();
    hasOlder = true;
  };
  // Without a tenant every record fits, so only the newest are read at all.
  const keys =
    tenantId === undefined
      ? newestOf(lastKeys(store, query, signal), limit + 1)
      : lastKeys(store, query, signal);
  for await (const batch of batchesOf(keys)) {
    for (const read of await Promise.all(batch.map((key) => readRecord(store, key, signal)))) {
      if (typeof read === "string") faults.push(read);
      else if (read !== undefined) keep(read);
    }
  }
  return {
    records: records.sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1)),
    hasOlder,
    faults: faults.slice(0, maxFaults),
  };
}

/** By the second of the beginning, then by the time of the end. */
function orderOf({ recordId, at }: AuditEntry): string {
  return `${secondOf(recordId)} ${at}`;
}

function secondOf(recordId: string): string {
  return recordId.slice(0, "YYYYMMDDTHHMMSSZ".length);
}

const maxParallelReads = 16;
const maxFaults = 20;

/** The keys of the records in order of time: for each its end, or its beginning when it has no end. */
async function* lastKeys(
  store: ObjectStore,
  { since }: AuditQuery,
  signal: AbortSignal,
): AsyncGenerator<ObjectKey> {
  const after = since === undefined ? undefined : `${auditPrefix}${firstIdOf(since).slice(0, -8)}`;
  let begun: { readonly key: ObjectKey; readonly recordId: SnapshotId } | undefined;
  for await (const { key } of store.list(auditPrefix, { signal, after })) {
    const found = recordKey(key);
    if (found === undefined) continue;
    // A record's `.begun.json` sorts right before its `.json`.
    if (begun !== undefined && begun.recordId !== found.recordId) yield begun.key;
    begun = found.state === "begun" ? found : undefined;
    if (found.state === "ended") yield found.key;
  }
  if (begun !== undefined) yield begun.key;
}

/** Ids begin with the second in which they were made. */
function firstIdOf(since: Date): SnapshotId {
  return snapshotId(since, Buffer.alloc(4));
}

async function* newestOf(keys: AsyncIterable<ObjectKey>, count: number): AsyncGenerator<ObjectKey> {
  let newest: ObjectKey[] = [];
  for await (const key of keys) {
    newest.push(key);
    if (newest.length >= 2 * count) newest = newest.slice(-count);
  }
  yield* newest.slice(-count);
}

async function* batchesOf(keys: AsyncIterable<ObjectKey>): AsyncGenerator<readonly ObjectKey[]> {
  let batch: ObjectKey[] = [];
  for await (const key of keys) {
    batch.push(key);
    if (batch.length < maxParallelReads) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The record; a sentence when the object is no record; `undefined` when it is gone. */
async function readRecord(
  store: ObjectStore,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<AuditEntry | string | undefined> {
  try {
    const found = await store.get(key, { signal });
    if (found.kind !== "object") return undefined;
    return parseAuditRecord(await readBody(found, maxRecordBytes, key), key);
  } catch (error) {
    const failure = asFailure(error);
    if (failure.code !== "corrupt_document") throw error;
    return failure.message;
  }
}

function concerns({ tenants, changes }: AuditEntry, tenantId: TenantId): boolean {
  return (
    tenants.includes(tenantId) ||
    changes.some((change) =>
      change.kind === "token"
        ? change.after.tenantId === tenantId || change.before?.tenantId === tenantId
        : change.tenantId === tenantId,
    )
  );
}
