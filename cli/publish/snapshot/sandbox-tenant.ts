import { Failure, unlessFailed } from "../../../core/ground/failure.ts";
import { parseTenantId, type TenantId } from "../../../core/ground/ids.ts";
import { sandboxKey } from "../../../core/ground/object-key.ts";
import { documentBytes, parseStoredDocument, readBody } from "../../../core/store/object-body.ts";
import type { ObjectStore, StoredObject } from "../../../core/store/object-store.ts";
import type { SandboxDocument } from "../../../schemas/generated/types.ts";
import { isSandboxDocument } from "../../../schemas/generated/validators-stored.ts";
import { editDocument, type SharedDocument } from "./edit-document.ts";

/** The id of the store's sandbox, `undefined` when there is none. Throws `corrupt_document`. */
export async function readSandbox(store: ObjectStore, signal: AbortSignal): Promise<TenantId | undefined> {
  const found = await store.get(sandboxKey, { signal });
  return found.kind === "object" ? parseTenantId((await parsedSandbox(found)).tenantId) : undefined;
}

/** P19: a damaged or denied document counts as none, so that it keeps no tenant from being published. */
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
