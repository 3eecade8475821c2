import { createSlots } from "../../ground/bounded-work.ts";
import type { ObjectStore } from "../object-store.ts";
import { documentOf } from "./answer.ts";
import { createDelete } from "./delete.ts";
import { createGet } from "./get.ts";
import { createLists } from "./list.ts";
import { createPut } from "./put.ts";
import { type S3Context, s3Call } from "./s3-call.ts";
import { type S3Call, s3Address, s3Key, unlessKind } from "./s3-error.ts";
import { createS3Agents, createS3Client, type S3Connection } from "./sdk-client.ts";
import { createSend } from "./send.ts";

export interface S3StoreOptions {
  readonly bucket: string;
  /** The beginning of every key in the bucket: empty, or ending in `/`. */
  readonly prefix: string;
  /** Whether requests name the bucket in the path, not the host, as most S3-compatible stores want. */
  readonly forcePathStyle: boolean;
  /** Deadline of one attempt of a call, 1 s more per MiB of a put. For bodies see `BodyOptions`. */
  readonly timeoutMs: number;
  /** Replaces what the SDK finds: AWS_ENDPOINT_URL_S3, AWS_REGION and the standard credential chain. */
  readonly connection?: S3Connection | undefined;
}

const maxParallelUploads = 32;

/** The object store in a bucket of S3 or of an S3-compatible store. Only this folder uses the SDK. */
export function createS3Store(options: S3StoreOptions): ObjectStore {
  const { bucket, prefix, forcePathStyle, timeoutMs, connection } = options;
  const agents = createS3Agents();
  const client = createS3Client({ agents, forcePathStyle, connection });
  const send = createSend(client, agents, bucket);
  const uploads = createSlots(maxParallelUploads);
  const context: S3Context = { send, location: { bucket, prefix }, timeoutMs, uploads };
  const get = createGet(context);
  return {
    address: s3Address(context.location),
    get,
    copy: createCopy(context),
    put: createPut(context, get),
    ...createLists(context),
    delete: createDelete(context),
    async tidy() {},
    async close() {
      client.destroy();
      agents.httpAgent.destroy();
      agents.httpsAgent.destroy();
    },
  };
}

/** `copy` of the port. The store copies by itself, and the copy keeps the object's Content-Type. */
function createCopy(context: S3Context): ObjectStore["copy"] {
  const { location, send, uploads } = context;
  return (from, to, { signal } = {}) => {
    const headers = { "x-amz-copy-source": `${location.bucket}/${s3Key(location, from)}` };
    const request = { method: "PUT", key: s3Key(location, to), headers } as const;
    const call: S3Call = { operation: "CopyObject", location, key: to };
    return uploads(`CopyObject ${to}`, signal, async () => {
      const calling = s3Call(context, call, { signal }, async (abortSignal) =>
        documentOf(await send(request, abortSignal), "CopyObjectResult"),
      );
      return { kind: (await unlessKind(calling, "no_object")) === undefined ? "missing" : "copied" };
    });
  };
}
