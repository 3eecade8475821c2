import { createHash } from "node:crypto";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setImmediate as turnOver } from "node:timers/promises";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import type { ResponseEntry } from "../../../core/documents/manifest.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { currentKey, type ObjectKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import {
  type BodyOpener,
  type ChunkSource,
  createBodyOpener,
  createTurns,
  verifiedChunks,
} from "../../../gateway/bodies/body-stream.ts";
import type { StoreReader } from "../../../gateway/known/store-reader.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";

const chunked = fc.array(fc.uint8Array({ maxLength: 20 }), { minLength: 1, maxLength: 8 });

function entryOf(chunks: readonly Uint8Array[]): ResponseEntry {
  const bytes = Buffer.concat(chunks);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { key: "tenants/a/x.json" as ObjectKey, size: bytes.length, sha256 };
}

/** What came through, and whether the end did. */
async function passed(
  chunks: readonly Uint8Array[],
  entry: ResponseEntry,
): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const seen: Uint8Array[] = [];
  try {
    const body = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
    for await (const chunk of verifiedChunks(body, entry)) seen.push(chunk);
    return { bytes: Buffer.concat(seen), isWhole: true };
  } catch {
    return { bytes: Buffer.concat(seen), isWhole: false };
  }
}

test("the right bytes come through, however they are cut", async () => {
  await fc.assert(
    fc.asyncProperty(chunked, async (chunks) => {
      expect(await passed(chunks, entryOf(chunks))).toEqual({ bytes: Buffer.concat(chunks), isWhole: true });
    }),
  );
});

test("P17 one wrong byte anywhere: the body never ends, and not all of its bytes are let go", async () => {
  await fc.assert(
    fc.asyncProperty(chunked, fc.nat(), fc.integer({ min: 1, max: 255 }), async (chunks, at, flip) => {
      const entry = entryOf(chunks);
      fc.pre(entry.size > 0);
      const wrong = chunks.map((chunk) => Uint8Array.from(chunk));
      let left = at % entry.size;
      for (const chunk of wrong) {
        if (left < chunk.length) {
          chunk[left] = (chunk[left] ?? 0) ^ flip;
          break;
        }
        left -= chunk.length;
      }
      const { bytes, isWhole } = await passed(wrong, entry);
      expect(isWhole).toBe(false);
      expect(bytes.length).toBeLessThan(entry.size);
    }),
  );
});

test("P17 a missing or an additional byte: the body never ends, and never has more bytes than announced", async () => {
  await fc.assert(
    fc.asyncProperty(chunked, fc.boolean(), async (chunks, isLonger) => {
      const entry = entryOf(chunks);
      fc.pre(entry.size > 0);
      const all = Buffer.concat(chunks);
      const wrong = isLonger ? [...chunks, Uint8Array.of(0)] : [all.subarray(0, -1)];
      const { bytes, isWhole } = await passed(wrong, entry);
      expect(isWhole).toBe(false);
      expect(bytes.length).toBeLessThanOrEqual(entry.size);
    }),
  );
});

// Above what the folder's tags hash, so that identity alone tells versions apart.
const good = Buffer.alloc(1_500_000, "a");
const wrong = Buffer.alloc(1_500_000, "b");
const key = currentKey(parseTenantId("acme"));
const sha256 = createHash("sha256").update(good).digest("hex");
const entry: ResponseEntry = { key, size: good.length, sha256 };
const wrongDigest = { code: "corrupt_document", message: expect.stringMatching(/ not the digest/) };
const store = fileStoreForEachTest();

beforeEach(async () => {
  await store.put(key, bytesBody(good));
});

async function whole(forEachChunk: ChunkSource): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // Each chunk's memory may be used again for the next.
  await forEachChunk(async (chunk) => void chunks.push(Buffer.from(chunk)));
  return Buffer.concat(chunks);
}

const never = new AbortController().signal;

const read = async (open: BodyOpener): Promise<Buffer> => whole(await open(entry, never));

test("a file that is changed after it was read is refused", async () => {
  const open = createBodyOpener({ store, callTimeoutMs: 60_000 });
  await read(open);
  await writeFile(join(store.directory, key), wrong);
  await expect(read(open)).rejects.toMatchObject(wrongDigest);
});

test("a manifest that wants other bytes of a file than the last one gets none", async () => {
  const open = createBodyOpener({ store, callTimeoutMs: 60_000 });
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
  const open = createBodyOpener({ store: remote, callTimeoutMs: 60_000 });
  await read(open);
  bytes = wrong;
  await expect(read(open)).rejects.toMatchObject(wrongDigest);
});

test("a body that comes over a network is read once for each reader, also for several at a time", async () => {
  let readings = 0;
  const remote: StoreReader = {
    get: async () => {
      readings += 1;
      const body = Readable.from([good], { objectMode: false });
      return { kind: "object", etag: "same", size: good.length, modifiedAt: new Date(0), body };
    },
  };
  const open = createBodyOpener({ store: remote, callTimeoutMs: 60_000 });
  const readers = [await open(entry, never), await open(entry, never)];
  for (const bytes of await Promise.all(readers.map(whole))) expect(bytes.equals(good)).toBe(true);
  expect(readings).toBe(2);
});

test("a file that is cut while it is read again breaks off with an error, and is closed", async () => {
  const open = createBodyOpener({ store, callTimeoutMs: 60_000 });
  await read(open);
  const forEachChunk = await open(entry, new AbortController().signal);
  let seen = 0;
  const reading = forEachChunk(async (chunk) => {
    seen += chunk.length;
    await truncate(join(store.directory, key), 1000);
  });
  await expect(reading).rejects.toThrow("the file was cut");
  expect(seen).toBeLessThan(good.length);
});

test("W194 pieces of streams pass in order, and only so many bytes in one turn of the event loop", async () => {
  const ownTurn = createTurns(100);
  const passed: [piece: number, turn: number][] = [];
  let turn = 0;
  const count = (): void => {
    turn += 1;
    if (passed.length < 7) setImmediate(count);
  };
  const pieces = [60, 60, 100, 10, 10, 200, 1];
  const passing = pieces.map((bytes, at) => ownTurn(bytes).then(() => passed.push([at, turn])));
  setImmediate(count);
  await Promise.all(passing);
  const first = passed[0]?.[1] ?? Number.NaN;
  expect(passed.map(([piece, at]) => [piece, at - first])).toEqual([
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 2],
    [4, 2],
    [5, 2],
    [6, 3],
  ]);
});

test("W194 however many streams have something to send, one turn of the event loop hashes half a megabyte", async () => {
  const chunks = [Buffer.alloc(64 * 1024), Buffer.alloc(64 * 1024, 1)];
  const entry = entryOf(chunks);
  let left = 64;
  let inTurn = 0;
  let most = 0;
  async function* ready(): AsyncGenerator<Buffer> {
    for (const chunk of chunks) yield chunk;
  }
  for (let at = 0; at < 64; at += 1) {
    void (async () => {
      for await (const chunk of verifiedChunks(ready(), entry)) inTurn += chunk.length;
      left -= 1;
    })();
  }
  while (left > 0) {
    await turnOver();
    most = Math.max(most, inTurn);
    inTurn = 0;
  }
  // A stream's last chunk passes right after the one before it.
  expect(most).toBeLessThanOrEqual(1024 * 1024);
});
