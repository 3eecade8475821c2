import { inRounds } from "../../../core/ground/bounded-work.ts";
import { asFailure } from "../../../core/ground/failure.ts";
import { isSnapshotId, snapshotId, type TenantId } from "../../../core/ground/ids.ts";
import { maxRecordBytes } from "../../../core/ground/limits.ts";
import { auditPrefix, isObjectKey, type ObjectKey } from "../../../core/ground/object-key.ts";
import { parseStoredDocument, readBody } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { AuditDocument } from "../../../schemas/generated/types.ts";
import { isAuditDocument } from "../../../schemas/generated/validators-administration.ts";

export interface AuditQuery {
  readonly tenantId: TenantId | undefined;
  /** Records from this instant on; the keys of older ones are not even listed (P87). */
  readonly since: Date | undefined;
  /** At most so many records, the newest. */
  readonly limit: number;
}

/**
 * One record for each call of a command, newest first: its end, or its beginning when it has no end.
 * `hasOlder`: whether older records fit; `faults`: objects that are no records, in words. P87: memory is
 * bounded by `limit`, however many records there are.
 */
export async function readAudit(
  store: ObjectStore,
  { limit, tenantId, since }: AuditQuery,
  signal: AbortSignal,
) {
  const faults: string[] = [];
  let records: AuditDocument[] = [];
  let hasOlder = false;
  let keys: ObjectKey[] = [];

  /** The record; a sentence when the object is no record; `undefined` when it is gone. */
  async function readRecord(key: ObjectKey): Promise<AuditDocument | string | undefined> {
    try {
      const found = await store.get(key, { signal });
      if (found.kind !== "object") return undefined;
      return parseStoredDocument(await readBody(found, maxRecordBytes, key), isAuditDocument, key);
    } catch (error) {
      const failure = asFailure(error);
      if (failure.code !== "corrupt_document") throw error;
      return failure.message;
    }
  }

  const readKeys = async (): Promise<void> => {
    for (const read of await inRounds(keys, maxParallelReads, readRecord)) {
      if (typeof read === "string") faults.push(read);
      else if (read !== undefined && (tenantId === undefined || read.tenants.includes(tenantId)))
        records.push(read);
    }
    keys = [];
    hasOlder ||= records.length > limit;
    records = records.slice(-limit);
  };
  for await (const key of lastKeys(store, since, signal)) {
    keys.push(key);
    // Without a tenant every record fits, so only the newest are read at all.
    if (tenantId !== undefined && keys.length === maxParallelReads) await readKeys();
    if (tenantId === undefined && keys.length > limit + 1) keys.shift();
  }
  await readKeys();
  return {
    records: records.sort((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1)),
    hasOlder,
    faults: faults.slice(0, maxFaults),
  };
}

const stampLength = "YYYYMMDDTHHMMSSZ".length;

/** By the second of the beginning, with which the id begins, then by the time of the end. */
function orderOf({ recordId, at }: AuditDocument): string {
  return `${recordId.slice(0, stampLength)} ${at}`;
}

const maxParallelReads = 16;
const maxFaults = 20;

/** The keys of the records in order of time: for each its end, or its beginning when it has no end. */
async function* lastKeys(
  store: ObjectStore,
  since: Date | undefined,
  signal: AbortSignal,
): AsyncGenerator<ObjectKey> {
  const first = since === undefined ? undefined : snapshotId(since, Buffer.alloc(4));
  const after = first && `${auditPrefix}${first.slice(0, stampLength)}-`;
  let begun: { readonly key: ObjectKey; readonly recordId: string } | undefined;
  for await (const { key } of store.list(auditPrefix, { signal, after })) {
    const [, recordId = "", isBegun] = /^([^/.]+)(\.begun)?\.json$/.exec(key.slice(auditPrefix.length)) ?? [];
    if (!isSnapshotId(recordId) || !isObjectKey(key)) continue;
    // A record's `.begun.json` sorts right before its `.json`.
    if (begun !== undefined && begun.recordId !== recordId) yield begun.key;
    begun = isBegun === undefined ? undefined : { key, recordId };
    if (begun === undefined) yield key;
  }
  if (begun !== undefined) yield begun.key;
}
