import type { ObjectStore } from "../../core/object-store.ts";
import { openStore } from "../../core/open-store.ts";

/** The bucket that `scripts/ceph-s3.sh run` provides, and in it a store below a prefix of its own. */
export interface BenchBucket {
  readonly endpoint: URL;
  readonly bucket: string;
  readonly prefix: string;
  readonly store: ObjectStore;
  /** The settings with which commands and gateways use this store. */
  readonly env: Readonly<Record<string, string>>;
}

/** Throws where no bucket is provided. `name` is the benchmark's. */
export async function openBucket(name: string, timeoutMs: number): Promise<BenchBucket> {
  const { TEST_S3_ENDPOINT: endpoint, TEST_S3_BUCKET: bucket } = process.env;
  if (endpoint === undefined || bucket === undefined) {
    throw new Error(`Give it a store: bash scripts/ceph-s3.sh run npm run bench:${name}`);
  }
  const prefix = `bench-${name}-${Date.now()}/`;
  const store = await openStore({ address: { kind: "s3", bucket, prefix }, forcePathStyle: true, timeoutMs });
  const aws = Object.entries(process.env).flatMap(([variable, value = ""]) =>
    variable.startsWith("AWS_") ? [[variable, value]] : [],
  );
  const env = {
    ...Object.fromEntries(aws),
    STORE_URL: `s3://${bucket}/${prefix}`,
    S3_FORCE_PATH_STYLE: "true",
  };
  return { endpoint: new URL(endpoint), bucket, prefix, store, env };
}
