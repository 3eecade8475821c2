import type { ObjectStore } from "./object-store.ts";
import type { StoreAddress } from "./store-address.ts";

export interface StoreOptions {
  readonly address: StoreAddress;
  readonly forcePathStyle: boolean;
  readonly timeoutMs: number;
}

/** The driver for the address. Drivers are loaded when needed: the S3 SDK alone takes a third of a second to start. */
export async function openStore(options: StoreOptions): Promise<ObjectStore> {
  const { address, forcePathStyle, timeoutMs } = options;
  if (address.kind === "file") {
    const { createFileStore } = await import("./file-store/file-store.ts");
    return createFileStore({ directory: address.directory });
  }
  const { createS3Store } = await import("./s3-store/s3-store.ts");
  return createS3Store({ bucket: address.bucket, prefix: address.prefix, forcePathStyle, timeoutMs });
}
