import { setTimeout as delay } from "node:timers/promises";
import { asFailure, Failure, unlessFailed } from "../../../core/failure.ts";
import { isTenantId, parseTenantId, type TenantId } from "../../../core/ids.ts";
import {
  bytesBody,
  documentBytes,
  parseStoredDocument,
  readBody,
  withinBound,
} from "../../../core/object-body.ts";
import { type ObjectKey, removedKey, sandboxKey } from "../../../core/object-key.ts";
import type { ObjectStore, PutCondition, StoredObject } from "../../../core/object-store.ts";
import type { RemovedDocument, SandboxDocument } from "../../../schemas/generated/types.ts";
import { isRemovedDocument } from "../../../schemas/generated/validators-administration.ts";
import { isSandboxDocument } from "../../../schemas/generated/validators-stored.ts";

/** A document that several processes change. */
export interface SharedDocument<Value> {
  readonly key: ObjectKey;
  /** Throws `corrupt_document`. */
  readonly parse: (found: StoredObject) => Promise<Value>;
  /** What a missing document says. */
  readonly empty: Value;
  readonly bytes: (value: Value) => Buffer;
  /** What its readers accept. Nothing larger is written. */
  readonly maxBytes: number;
  /** Whether a damaged document counts as a missing one, and is replaced as a whole. */
  readonly isReplaceable: boolean;
}

/** Each conflict means that somebody else has written; a few in a row are normal. */
const maxAttempts = 8;
/** The pause after a conflict is random, up to this times the attempt, so that two writers do not collide again. */
const maxPauseMs = 100;

/**
 * Replaces the document with what `edit` makes of it, by one compare-and-swap. `edit` runs again after a conflict. When it returns the
 * value that it was given, nothing is written.
 */
export async function editDocument<Value>(
  store: ObjectStore,
  document: SharedDocument<Value>,
  signal: AbortSignal,
  edit: (value: Value) => Value,
): Promise<void> {
  const { key, parse, empty, bytes, maxBytes, isReplaceable } = document;
  const parsed = async (found: StoredObject): Promise<Value> =>
    isReplaceable ? ((await unlessFailed(parse(found), "corrupt_document")) ?? empty) : await parse(found);
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const found = await store.get(key, { signal, wholeUpTo: maxBytes });
    const value = found.kind === "object" ? await parsed(found) : empty;
    const edited = edit(value);
    // There is nothing new, or an earlier attempt without a clear answer was successful.
    if (edited === value) return;
    // P194
    const body = bytesBody(withinBound(bytes(edited), maxBytes, key));
    const condition: PutCondition =
      found.kind === "object" ? { kind: "match", etag: found.etag } : { kind: "absent" };
    try {
      const { kind } = await store.put(key, body, { condition, signal });
      if (kind === "stored") return;
    } catch (error) {
      // The driver has tried several times for each unclear answer, so after the second one the store is in trouble.
      if (asFailure(error).code !== "store_unavailable" || attempt > 1) throw error;
    }
    await delay(Math.random() * maxPauseMs * attempt, undefined, { signal });
  }
  throw new Failure("store_unavailable", `${key} changed all the time; try again.`);
}

/** `tenants/removed.json`: the tenants that are removed, and when (RFC 3339, UTC). One that came back is taken out. */
export type RemovedTenants = ReadonlyMap<TenantId, string>;

/** Empty when no tenant was ever removed. Throws `corrupt_document`. */
export async function readRemovedTenants(store: ObjectStore, signal: AbortSignal): Promise<RemovedTenants> {
  const found = await store.get(removedKey, { signal });
  return (found.kind === "object" ? await parsedRemoved(found) : noneRemoved).tenants;
}

/**
 * The removed tenants, read before the source, so that a tenant that is removed meanwhile does not look like one that came back.
 * A damaged document keeps only new tenants from being published (P19).
 */
export async function knownRemovals(store: ObjectStore, signal: AbortSignal): Promise<RemovedTenants> {
  const reading = readRemovedTenants(store, signal);
  return (await unlessFailed(reading, "corrupt_document", "store_denied")) ?? noneRemoved.tenants;
}

/** Changes the document by one compare-and-swap, see `editDocument`. */
export async function editRemovedTenants(
  store: ObjectStore,
  signal: AbortSignal,
  edit: (tenants: RemovedTenants) => RemovedTenants,
): Promise<void> {
  await editDocument(store, removedDocument, signal, (stored) => {
    const tenants = edit(stored.tenants);
    return tenants === stored.tenants ? stored : { tenants, revision: stored.revision + 1 };
  });
}

/** The tenants with this one, unless it is among them already. */
export function withRemoved(tenants: RemovedTenants, tenantId: TenantId, removedAt: string): RemovedTenants {
  return tenants.has(tenantId) ? tenants : new Map([...tenants, [tenantId, removedAt]]);
}

/**
 * P91: the tenants that were removed once and are in the source again. They are no longer removed from now on. Their tokens stay
 * revoked.
 */
export async function reinstateReturned(
  store: ObjectStore,
  tenants: readonly TenantId[],
  removed: RemovedTenants,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<readonly TenantId[]> {
  const returned = tenants.filter((tenantId) => removed.has(tenantId));
  if (returned.length === 0 || dryRun) return returned;
  await editRemovedTenants(store, signal, (stored) => {
    // Another time means that the tenant was removed again.
    const back = returned.filter((tenantId) => stored.get(tenantId) === removed.get(tenantId));
    return back.length === 0 ? stored : new Map([...stored].filter(([tenantId]) => !back.includes(tenantId)));
  });
  return returned;
}

/** About 100 bytes for each tenant that was ever removed. */
const maxRemovedBytes = 16 * 1024 * 1024;

const noneRemoved = { tenants: new Map<TenantId, string>() as RemovedTenants, revision: 0 };
const removedDocument = {
  key: removedKey,
  parse: parsedRemoved,
  empty: noneRemoved,
  bytes: removedBytes,
  maxBytes: maxRemovedBytes,
  isReplaceable: false,
};

async function parsedRemoved(found: StoredObject): Promise<typeof noneRemoved> {
  const stored = await readBody(found, maxRemovedBytes, removedKey);
  const { tenants, revision } = parseStoredDocument<RemovedDocument>(stored, isRemovedDocument, removedKey);
  // Version 0.2 kept an entry without a time for a tenant that came back.
  const removed = Object.entries(tenants).flatMap(([id, { removedAt }]) =>
    isTenantId(id) && removedAt !== null ? [[id, removedAt] as const] : [],
  );
  return { tenants: new Map(removed), revision };
}

function removedBytes({ tenants, revision }: typeof noneRemoved): Buffer {
  const sorted = [...tenants].sort(([a], [b]) => (a < b ? -1 : 1));
  return documentBytes({
    format: "partner-programs/removed@1",
    revision,
    tenants: Object.fromEntries(sorted.map(([tenantId, removedAt]) => [tenantId, { removedAt }])),
  } satisfies RemovedDocument);
}

/** The id of the store's sandbox, `undefined` when there is none. Throws `corrupt_document`. */
export async function readSandbox(store: ObjectStore, signal: AbortSignal): Promise<TenantId | undefined> {
  const found = await store.get(sandboxKey, { signal });
  return found.kind === "object" ? parseTenantId((await parsedSandbox(found)).tenantId) : undefined;
}

/** P19: a document that is damaged or denied counts as none, so that it keeps no tenant from being published. */
export async function knownSandbox(store: ObjectStore, signal: AbortSignal): Promise<TenantId | undefined> {
  return await unlessFailed(readSandbox(store, signal), "corrupt_document", "store_denied");
}

/** Makes the tenant the store's only sandbox. Throws `usage` when the store has another one. */
export async function makeSandbox(store: ObjectStore, tenantId: TenantId, now: Date): Promise<void> {
  await editDocument(store, sandboxDocument, new AbortController().signal, (stored): SandboxDocument => {
    if (stored !== undefined && stored.tenantId !== tenantId) throw otherSandbox(stored.tenantId);
    return stored ?? { format: "partner-programs/sandbox@1", tenantId, since: now.toISOString() };
  });
}

export function otherSandbox(tenantId: string): Failure {
  return new Failure(
    "usage",
    `This store has another sandbox already: ${tenantId}. Use that one, or end it first with \`sandbox init --remove\`.`,
  );
}

const maxSandboxBytes = 4096;

const sandboxDocument: SharedDocument<SandboxDocument | undefined> = {
  key: sandboxKey,
  parse: parsedSandbox,
  empty: undefined,
  bytes: (sandbox) => documentBytes({ ...sandbox }),
  maxBytes: maxSandboxBytes,
  isReplaceable: false,
};

async function parsedSandbox(found: StoredObject): Promise<SandboxDocument> {
  const bytes = await readBody(found, maxSandboxBytes, sandboxKey);
  return parseStoredDocument<SandboxDocument>(bytes, isSandboxDocument, sandboxKey);
}
