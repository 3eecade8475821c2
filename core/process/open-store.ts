import { stat } from "node:fs/promises";
import type { StoreDocument } from "../../schemas/generated/types.ts";
import { isStoreDocument } from "../../schemas/generated/validators-stored.ts";
import { Failure } from "../ground/failure.ts";
import { isStoreId, type StoreId } from "../ground/ids.ts";
import { storeKey } from "../ground/object-key.ts";
import { documentBytes, parseStoredDocument, readBody } from "../store/object-body.ts";
import type { CallOptions, ObjectStore } from "../store/object-store.ts";
import type { StoreAddress } from "./store-address.ts";

export interface StoreOptions {
  readonly address: StoreAddress;
  readonly forcePathStyle: boolean;
  readonly timeoutMs: number;
}

/**
 * Opens the store with the driver for its address. Throws `settings` for a `file:` address that is no folder.
 * A missing folder is an empty store. Drivers are loaded when needed: the S3 SDK takes a third of a second.
 */
export async function openStore({ address, forcePathStyle, timeoutMs }: StoreOptions): Promise<ObjectStore> {
  if (address.kind === "file") {
    const found = await stat(address.directory).catch(() => undefined);
    // No object is ever found below a file, so it would look like an empty store.
    if (found?.isDirectory() === false) {
      throw new Failure("settings", `STORE_URL: ${address.directory} is not a folder.`);
    }
    const { createFileStore } = await import("../store/file-store/file-store.ts");
    return createFileStore({ directory: address.directory });
  }
  const { createS3Store } = await import("../store/s3-store/s3-store.ts");
  return createS3Store({ ...address, forcePathStyle, timeoutMs });
}

/**
 * The identity of a store, kept in `store.json` (P160). An unmounted volume or a mistyped `STORE_URL` looks
 * like a store in which nothing was ever published. Only the store itself can show that it is the right one.
 */
export interface StoreIdentity {
  readonly storeId: StoreId;
  /** RFC 3339, UTC. */
  readonly createdAt: string;
}

/** The store's identity; `undefined` when it has none. Throws `corrupt_document`. */
export async function readStoreIdentity(
  store: Pick<ObjectStore, "get">,
  options?: CallOptions,
): Promise<StoreIdentity | undefined> {
  const found = await store.get(storeKey, options);
  if (found.kind !== "object") return undefined;
  const bytes = await readBody(found, maxBytes, storeKey);
  const document = parseStoredDocument<StoreDocument>(bytes, isStoreDocument, storeKey);
  const { storeId, createdAt } = document;
  if (!isStoreId(storeId)) throw new Failure("corrupt_document", `${storeKey} names no store.`);
  return { storeId, createdAt };
}

export function storeIdentityBytes({ storeId, createdAt }: StoreIdentity): Buffer {
  return documentBytes({ format: "partner-programs/store@1", storeId, createdAt } satisfies StoreDocument);
}

/** P161: why the store is not the one that `STORE_ID` names; `undefined` when it is, or none is named. */
export function wrongStore(
  wanted: StoreId | undefined,
  found: StoreId | undefined,
  address: string,
): Failure | undefined {
  if (wanted === undefined || wanted === found) return undefined;
  const text =
    found === undefined
      ? `there is no ${storeKey} in ${address}. Is the volume mounted, and STORE_URL the right one?`
      : `${address} is the store ${found}. Check STORE_URL; if ${found} is meant, set STORE_ID to it.`;
  return new Failure("settings", `STORE_ID is ${wanted}, but ${text}`);
}

/** W160: the failure for a place without `store.json`, which was never used as a store. */
export function noStore(address: string): Failure {
  return new Failure(
    "store_unreachable",
    `There is no store in ${address}: ${storeKey} is missing. Is the volume mounted, and STORE_URL the right one?`,
  );
}

const maxBytes = 10_000;
