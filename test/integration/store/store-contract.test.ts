import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { type ContractStore, describeObjectStoreContract } from "../../support/object-store-contract.ts";
import { startS3Server, testBucket } from "../../support/s3-server.ts";
import type { S3Quirks } from "../../support/s3-server-protocol.ts";
import { openTestStore, type StoreOpening } from "../../support/store-opening.ts";

describeObjectStoreContract("file:", () => makeFileStore(openTestStore), { objects: 500 });

describeObjectStoreContract(
  "file: on a system without /proc",
  () => makeFileStore(({ directory }) => createFileStore({ directory, hasProc: false })),
  { withoutProcesses: true, objects: 500 },
);

describeObjectStoreContract("s3: on a server that keeps to S3", () => makeS3Store({}, "some/prefix/"));

describeObjectStoreContract(
  "s3: on a server like Ceph's gateway 16",
  () =>
    makeS3Store(
      { ifMatch: "unquoted", losers: "mixed", checksums: "ignored", deleteObjects: "md5_only" },
      "",
    ),
  { withoutProcesses: true, objects: 500 },
);

describeObjectStoreContract(
  "s3: on a server without checksums and batches, with short pages",
  () => makeS3Store({ losers: "409", checksums: "refused", deleteObjects: "missing", pageSize: 100 }, "p/"),
  { withoutProcesses: true, objects: 500 },
);

async function makeS3Store(quirks: Partial<S3Quirks>, prefix: string): Promise<ContractStore> {
  const server = await startS3Server();
  Object.assign(server.quirks, quirks);
  const opening: StoreOpening = {
    kind: "s3",
    bucket: testBucket,
    prefix,
    forcePathStyle: true,
    timeoutMs: 10_000,
    connection: server.connection,
  };
  const store = openTestStore(opening);
  return {
    store,
    opening,
    async close() {
      await store.close();
      await server.close();
    },
  };
}

type FileOpening = Extract<StoreOpening, { readonly kind: "file" }>;

async function makeFileStore(open: (opening: FileOpening) => ReturnType<typeof openTestStore>) {
  const directory = await mkdtemp(join(tmpdir(), "file-store-"));
  const opening: FileOpening = { kind: "file", directory };
  const store = open(opening);
  return {
    store,
    opening,
    async close() {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
