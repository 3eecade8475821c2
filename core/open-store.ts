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
 * Opens the store with the driver for its address. Throws `settings` for a `file:` address that is no folder. A missing folder
 * is an empty store. Drivers are loaded when needed, since the S3 SDK alone takes a third of a second to load.
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

/** Refuses the path of a file. No object is ever found below it, so it would look like an empty store. */
async function assertNoFile(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return;
  throw new Failure("settings", `STORE_URL: ${directory} is not a folder.`);
}
