import {
  emptyRegistry,
  parseTokenRegistry,
  type TokenRegistry,
} from "../../../core/documents/token-registry.ts";
import { Failure } from "../../../core/ground/failure.ts";
import { maxRegistryBytes } from "../../../core/ground/limits.ts";
import { tokensKey } from "../../../core/ground/object-key.ts";
import { readBody } from "../../../core/store/object-body.ts";
import type { ETag, ObjectStore } from "../../../core/store/object-store.ts";

/** The registry as it is; empty when no token was ever created. Throws `corrupt_document`. */
export async function readRegistry(
  store: ObjectStore,
): Promise<{ readonly registry: TokenRegistry; readonly etag: ETag | undefined }> {
  const found = await store.get(tokensKey, { wholeUpTo: maxRegistryBytes }).catch((error: unknown) => {
    throw registryFailure(store, error);
  });
  if (found.kind !== "object") return { registry: emptyRegistry, etag: undefined };
  const bytes = await readBody(found, maxRegistryBytes, tokensKey);
  return { registry: await parseTokenRegistry(bytes), etag: found.etag };
}

/** The credentials of builds cannot touch tokens, so that whoever gets at a builder issues none. */
export function registryFailure(store: ObjectStore, error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== "store_denied") return error;
  if (!store.address.startsWith("s3:")) return error;
  return new Failure(
    "store_denied",
    `${error.message} The token commands need credentials with the policy "tokens" that \`partner-programs store check --policies\` prints; the generator's cannot do it.`,
    { cause: error },
  );
}
