import { type ContractStore, describeObjectStoreContract } from "../../support/object-store-contract.ts";
import { startS3Server, testBucket } from "../../support/s3-server.ts";
import type { S3Quirks } from "../../support/s3-server-protocol.ts";
import { openTestStore, type StoreOpening } from "../../support/store-opening.ts";

describeObjectStoreContract("s3: on a server that keeps to S3", () => makeStore({}, "some/prefix/"));

describeObjectStoreContract(
  "s3: on a server like Ceph's gateway 16",
  () =>
    makeStore({ ifMatch: "unquoted", losers: "mixed", checksums: "ignored", deleteObjects: "md5_only" }, ""),
  { withoutProcesses: true },
);

describeObjectStoreContract(
  "s3: on a server without checksums and batches, with short pages",
  () => makeStore({ losers: "409", checksums: "refused", deleteObjects: "missing", pageSize: 100 }, "p/"),
  { withoutProcesses: true },
);

async function makeStore(quirks: Partial<S3Quirks>, prefix: string): Promise<ContractStore> {
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
