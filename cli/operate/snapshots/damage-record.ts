import { asFailure, Failure } from "../../../core/failure.ts";
import { bytesBody, readBody } from "../../../core/object-body.ts";
import { damagedKey } from "../../../core/object-key.ts";
import type { ETag, ObjectStore, PutCondition } from "../../../core/object-store.ts";
import { documentBytes, parseStoredDocument } from "../../../core/stored-document.ts";
import type { DamagedDocument, TenantDamage } from "../../../schemas/generated/types.ts";
import { isDamagedDocument } from "../../../schemas/generated/validators-administration.ts";
import type { TenantVerification } from "./verify-tenant.ts";

/** The objects that `snapshot verify` found damaged, by tenant. Partners get 500 for them until a build replaces them. */
export type DamageRecord = ReadonlyMap<string, TenantDamage>;

/** Empty when `snapshot verify` never found damage. Throws `corrupt_document`. */
export async function readDamage(store: ObjectStore, signal: AbortSignal): Promise<DamageRecord> {
  return (await readStored(store, signal)).record;
}

/**
 * Records what was found, so that `snapshot status` and others can tell it. A tenant of which all is whole leaves the record. A
 * failure changes nothing for whoever verifies: the policy of the store may forbid them to write. No probe of conditional writes
 * goes before, since a lost record is found again by the next verification.
 */
export async function noteDamage(
  store: ObjectStore,
  verified: readonly TenantVerification[],
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const foundAt = now.toISOString();
  const found = verified.map(({ tenantId, findings }) => {
    const damaged = findings.filter(({ code }) => code === "object_damaged");
    return { tenantId, keys: damaged.map(({ key }) => key) };
  });
  try {
    await editRecord(store, signal, (record) => {
      const known = found.filter(({ tenantId, keys }) => keys.length > 0 || record.has(tenantId));
      if (known.length === 0) return record;
      const edited = new Map(record);
      for (const { tenantId, keys } of known) {
        if (keys.length === 0) edited.delete(tenantId);
        else edited.set(tenantId, { foundAt, keys });
      }
      return edited;
    });
  } catch (error) {
    if (asFailure(error).code === "internal") throw error;
  }
}

/** Takes a removed tenant out of the record. */
export async function forgetDamage(store: ObjectStore, tenantId: string, signal: AbortSignal): Promise<void> {
  await editRecord(store, signal, (record) =>
    record.has(tenantId) ? new Map([...record].filter(([id]) => id !== tenantId)) : record,
  );
}

/** More than a few conflicts mean that the store does not honour the condition. */
const maxAttempts = 5;
const maxBytes = 64 * 1024 * 1024;

/** Replaces the record by what `edit` makes of it, as one compare-and-swap; nothing is written when that is the same map. */
async function editRecord(
  store: ObjectStore,
  signal: AbortSignal,
  edit: (record: DamageRecord) => DamageRecord,
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const { record, etag } = await readStored(store, signal);
    const edited = edit(record);
    if (edited === record) return;
    const document: DamagedDocument = {
      format: "partner-programs/damaged@1",
      tenants: Object.fromEntries(edited),
    };
    const condition: PutCondition = etag === undefined ? { kind: "absent" } : { kind: "match", etag };
    const { kind } = await store.put(damagedKey, bytesBody(documentBytes(document)), { condition, signal });
    if (kind === "stored") return;
  }
  throw new Failure("store_unavailable", `${damagedKey} changed all the time; try again.`);
}

async function readStored(
  store: ObjectStore,
  signal: AbortSignal,
): Promise<{ readonly record: DamageRecord; readonly etag: ETag | undefined }> {
  const found = await store.get(damagedKey, { signal });
  if (found.kind !== "object") return { record: new Map(), etag: undefined };
  const bytes = await readBody(found, maxBytes, damagedKey);
  const { tenants } = parseStoredDocument<DamagedDocument>(bytes, isDamagedDocument, damagedKey);
  return { record: new Map(Object.entries(tenants)), etag: found.etag };
}
