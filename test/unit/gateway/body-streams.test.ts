import { createHash } from "node:crypto";
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createFileStore } from "../../../core/file-store/file-store.ts";
import { parseTenantId } from "../../../core/ids.ts";
import type { ResponseEntry } from "../../../core/manifest.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { currentKey } from "../../../core/object-key.ts";
import { type BodyOpener, type ChunkSource, createBodyOpener } from "../../../gateway/body-stream.ts";
import type { StoreReader } from "../../../gateway/store-watch.ts";

// Above what the folder's tags hash, so that identity alone tells versions apart.
const good = Buffer.alloc(1_500_000, "a");
const wrong = Buffer.alloc(1_500_000, "b");
const key = currentKey(parseTenantId("acme"));
const sha256 = createHash("sha256").update(good).digest("hex");
const entry: ResponseEntry = { key, size: good.length, sha256 };
const wrongDigest = { code: "corrupt_document", message: expect.stringMatching(/ not the digest/) };
let directory: string;
let store: StoreReader;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "body-streams-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const files = createFileStore({ directory });
  await files.put(key, bytesBody(good));
  store = files;
});

async function whole(forEachChunk: ChunkSource): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // Each chunk's memory may be used again for the next.
  await forEachChunk(async (chunk) => void chunks.push(Buffer.from(chunk)));
  return Buffer.concat(chunks);
}

async function read(open: BodyOpener): Promise<Buffer> {
  return whole(await open(entry, new AbortController().signal));
}

test("a file that is changed after it was read is refused", async () => {
  const open = createBodyOpener(store, 60_000);
  await read(open);
  await writeFile(join(directory, key), wrong);
  await expect(read(open)).rejects.toMatchObject(wrongDigest);
});

test("a manifest that wants other bytes of a file than the last one gets none", async () => {
  const open = createBodyOpener(store, 60_000);
  await read(open);
  const other = { ...entry, sha256: createHash("sha256").update(wrong).digest("hex") };
  const body = open(other, new AbortController().signal).then(whole);
  await expect(body).rejects.toMatchObject(wrongDigest);
});

test("what is damaged on its way over a network is refused, however often it came whole", async () => {
  let bytes = good;
  const remote: StoreReader = {
    get: async () => ({
      kind: "object",
      etag: "same",
      size: good.length,
      modifiedAt: new Date(0),
      body: Readable.from([bytes], { objectMode: false }),
    }),
  };
  const open = createBodyOpener(remote, 60_000);
  await read(open);
  bytes = wrong;
  await expect(read(open)).rejects.toMatchObject(wrongDigest);
});

test("a file that is cut while it is read again breaks off with an error, and is closed", async () => {
  const open = createBodyOpener(store, 60_000);
  await read(open);
  const forEachChunk = await open(entry, new AbortController().signal);
  let seen = 0;
  const reading = forEachChunk(async (chunk) => {
    seen += chunk.length;
    await truncate(join(directory, key), 1000);
  });
  await expect(reading).rejects.toThrow("the file was cut");
  expect(seen).toBeLessThan(good.length);
});
