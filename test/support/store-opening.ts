import { createFileStore, type FileStoreOptions } from "../../core/store/file-store/file-store.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { createS3Store, type S3StoreOptions } from "../../core/store/s3-store/s3-store.ts";

/** What a process needs to know to open a test's store; survives JSON. */
export type StoreOpening =
  | ({ readonly kind: "file" } & FileStoreOptions)
  | ({ readonly kind: "s3" } & S3StoreOptions);

export function openTestStore(opening: StoreOpening): ObjectStore {
  return opening.kind === "file" ? createFileStore(opening) : createS3Store(opening);
}
