import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { Failure } from "../failure.ts";
import type { ObjectBody } from "../object-store.ts";

/**
 * Gives `send` the body in a form that the SDK takes: bytes as they are, a file as a stream of its own, so that
 * every attempt reads from the beginning. The stream is gone when this returns.
 */
export async function withUpload<Result>(
  body: ObjectBody,
  send: (payload: Buffer | Readable) => Promise<Result>,
): Promise<Result> {
  if (body.kind === "bytes") return send(body.bytes);
  if (body.size === 0) return send(Buffer.alloc(0));
  const handle = await opened(body.path);
  // The range keeps the upload to its announced length should the file have grown.
  const stream = handle.createReadStream({ start: 0, end: body.size - 1 });
  const broken = new Promise<never>((_resolve, reject) => {
    stream.once("error", (error) => reject(unreadable(body.path, error)));
  });
  try {
    // The SDK pipes the stream and would wait for ever for one that failed.
    return await Promise.race([send(stream), broken]);
  } finally {
    stream.destroy();
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r");
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, cause: unknown): Failure {
  return new Failure("internal", `Cannot read ${path}, which is to be stored; is the disk in order?`, {
    cause,
  });
}
