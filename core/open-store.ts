import { stat } from "node:fs/promises";
import { Failure } from "./failure.ts";
import type { ObjectStore } from "./object-store.ts";
import type { StoreAddress } from "./store-address.ts";

export interface StoreOptions {
  readonly address: StoreAddress;
  readonly forcePathStyle: boolean;
  readonly timeoutMs: number;
}

/**
 * The driver for the address. Throws `settings` for a `file:` address that is no folder; one that is missing is an empty
 * store. Drivers are loaded when needed: the S3 SDK alone takes a third of a second to start.
 */
export async function openStore(options: StoreOptions): Promise<ObjectStore> {
  const { address, forcePathStyle, timeoutMs } = options;
  if (address.kind === "file") {
    await assertNoFile(address.directory);
    const { createFileStore } = await import("./file-store/file-store.ts");
    return createFileStore({ directory: address.directory });
  }
  const { createS3Store } = await import("./s3-store/s3-store.ts");
  return createS3Store({ bucket: address.bucket, prefix: address.prefix, forcePathStyle, timeoutMs });
}

/** Below a file nothing is ever found, so a mistaken address would look like a store without a tenant. */
async function assertNoFile(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return;
  throw new Failure("settings", `STORE_URL: ${directory} is not a folder.`);
}
