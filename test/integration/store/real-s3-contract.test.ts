import { randomBytes } from "node:crypto";
import { describe, test } from "vitest";
import { isObjectKey } from "../../../core/ground/object-key.ts";
import { type ContractStore, describeObjectStoreContract } from "../../support/object-store-contract.ts";
import { openTestStore, type StoreOpening } from "../../support/store-opening.ts";

const { TEST_S3_ENDPOINT: endpoint, TEST_S3_BUCKET: bucket = "programs" } = process.env;

// `scripts/ceph-s3.sh run npx vitest ...` sets both; so may anyone with a bucket and the usual AWS_*
// variables.
if (endpoint === undefined) {
  describe("object-store contract: s3: on a real store", () => {
    test.skip("runs when TEST_S3_ENDPOINT is set", () => {});
  });
} else {
  describeObjectStoreContract(`s3: on the real store ${endpoint}`, () => makeStore(endpoint));
}

async function makeStore(endpoint: string): Promise<ContractStore> {
  const {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  } = process.env;
  if (region === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    throw new Error("TEST_S3_ENDPOINT needs AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
  }
  const opening: StoreOpening = {
    kind: "s3",
    bucket,
    prefix: `contract-${randomBytes(8).toString("hex")}/`,
    forcePathStyle: true,
    timeoutMs: 10_000,
    connection: { endpoint, region, credentials: { accessKeyId, secretAccessKey } },
  };
  const store = openTestStore(opening);
  return {
    store,
    opening,
    async close() {
      const left: string[] = [];
      for await (const object of store.list("")) left.push(object.key);
      await store.delete(left.filter(isObjectKey));
      await store.close();
    },
  };
}
