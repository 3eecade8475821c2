import type { ObjectStore } from "../object-store.ts";
import { createCopy } from "./copy.ts";
import { createDelete } from "./delete.ts";
import { createGet } from "./get.ts";
import { createList, createListFolders } from "./list.ts";
import { createPut } from "./put.ts";
import type { S3Context } from "./s3-call.ts";
import { s3Address } from "./s3-location.ts";
import { createS3Agents, createS3Client, type S3Connection } from "./sdk-client.ts";
import { createSend } from "./send.ts";

export interface S3StoreOptions {
  readonly bucket: string;
  /** The beginning of every key in the bucket: empty, or ending in `/`. */
  readonly prefix: string;
  /** Whether requests name the bucket in the path instead of the host name, as most S3-compatible stores want it. */
  readonly forcePathStyle: boolean;
  /** Deadline of one attempt of a call. A put gets 1 s more per MiB. For bodies see `BodyOptions`. */
  readonly timeoutMs: number;
  readonly maxParallelPuts?: number | undefined;
  /** Replaces what the SDK finds: AWS_ENDPOINT_URL_S3, AWS_REGION and the standard credential chain. */
  readonly connection?: S3Connection | undefined;
}

/** The object store in a bucket of S3 or of an S3-compatible store. Only this folder uses the SDK. */
export function createS3Store(options: S3StoreOptions): ObjectStore {
  const { bucket, prefix, forcePathStyle, timeoutMs, connection, maxParallelPuts = 32 } = options;
  const agents = createS3Agents();
  const client = createS3Client({ agents, forcePathStyle, connection });
  const send = createSend(client, agents, bucket);
  const context: S3Context = { send, location: { bucket, prefix }, timeoutMs };
  const get = createGet(context);
  return {
    address: s3Address(context.location),
    get,
    copy: createCopy(context, maxParallelPuts),
    put: createPut(context, get, maxParallelPuts),
    list: createList(context),
    listFolders: createListFolders(context),
    delete: createDelete(context),
    async tidy() {},
    async close() {
      client.destroy();
    },
  };
}
