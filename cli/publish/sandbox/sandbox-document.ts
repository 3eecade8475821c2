import { Failure, unlessFailed } from "../../../core/failure.ts";
import { parseTenantId, type TenantId } from "../../../core/ids.ts";
import { bytesBody, readBody } from "../../../core/object-body.ts";
import { sandboxKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { documentBytes, parseStoredDocument } from "../../../core/stored-document.ts";
import type { SandboxDocument } from "../../../schemas/generated/types.ts";
import { isSandboxDocument } from "../../../schemas/generated/validators-stored.ts";

/** The id of the store's sandbox, `undefined` when there is none. Throws `corrupt_document`. */
export async function readSandbox(store: ObjectStore, signal: AbortSignal): Promise<TenantId | undefined> {
  const found = await store.get(sandboxKey, { signal });
  if (found.kind !== "object") return undefined;
  const bytes = await readBody(found, maxBytes, sandboxKey);
  return parseTenantId(parseStoredDocument<SandboxDocument>(bytes, isSandboxDocument, sandboxKey).tenantId);
}

/** P19: a document that is damaged or denied counts as none, so that it keeps no tenant from being published. */
export async function knownSandbox(store: ObjectStore, signal: AbortSignal): Promise<TenantId | undefined> {
  return await unlessFailed(readSandbox(store, signal), "corrupt_document", "store_denied");
}

/** Makes the tenant the store's only sandbox. Throws `usage` when the store has another one. */
export async function makeSandbox(store: ObjectStore, tenantId: TenantId, now: Date): Promise<void> {
  const document: SandboxDocument = {
    format: "partner-programs/sandbox@1",
    tenantId,
    since: now.toISOString(),
  };
  const body = bytesBody(documentBytes(document));
  const { kind } = await store.put(sandboxKey, body, { condition: { kind: "absent" } });
  if (kind === "stored") return;
  // The driver repeats a call whose answer was lost, and may meet its own document.
  const found = await readSandbox(store, new AbortController().signal);
  if (found !== tenantId) throw otherSandbox(found);
}

export function otherSandbox(tenantId: TenantId | undefined): Failure {
  return new Failure(
    "usage",
    `This store has another sandbox already: ${tenantId ?? "unknown"}. Use that one, or end it first with \`sandbox init --remove\`.`,
  );
}

const maxBytes = 4096;
