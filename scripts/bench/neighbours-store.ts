// The store of `bench:neighbours` that speaks S3, in a thread of its own so that it does not delay the
// clients that are measured.
import { parentPort } from "node:worker_threads";
import { startS3Server } from "../../test/support/s3-server.ts";

const server = await startS3Server();
const { env, connection } = server;
parentPort?.postMessage({ env, connection });
/** A message is the beginning of keys whose answers stop half-way from now on. */
parentPort?.on("message", (keyStart: string) => {
  server.faults.add({ kind: "stalled", operation: "GetObject", keyStart, times: Number.POSITIVE_INFINITY });
});
