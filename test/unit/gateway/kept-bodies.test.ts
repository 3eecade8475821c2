import { mkdtemp, readFile, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { parseTenantId } from "../../../core/ids.ts";
import { createLogger } from "../../../core/logger.ts";
import type { ResponseEntry } from "../../../core/manifest.ts";
import { sha256Hex } from "../../../core/object-body.ts";
import { currentKey } from "../../../core/object-key.ts";
import { type BodyStreams, createBodyStreams } from "../../../gateway/body-stream.ts";
import { processClocks, usualWaits } from "../../../gateway/clocks.ts";
import { createKeptBodies } from "../../../gateway/last-good/kept-bodies.ts";
import { createLastGood, type LastGood } from "../../../gateway/last-good/last-good.ts";
import type { StoreReader } from "../../../gateway/store-reader.ts";

const good = Buffer.alloc(1_500_000, "a");
const entry: ResponseEntry = {
  key: currentKey(parseTenantId("acme")),
  size: good.length,
  sha256: sha256Hex(good),
};
let folder: string;
/** Readings of the store. */
let calls: number;

beforeEach(async () => {
  calls = 0;
  folder = await mkdtemp(join(tmpdir(), "kept-bodies-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const store: StoreReader = {
  async get() {
    calls += 1;
    const body = Readable.from([good], { objectMode: false });
    return { kind: "object", etag: "e", size: good.length, modifiedAt: new Date(0), isLocal: false, body };
  },
};

function openCopy(): LastGood {
  const destination = { write(): void {} };
  return createLastGood({
    folder,
    store,
    callTimeoutMs: 10_000,
    maxBytes: 100_000_000,
    maxStaleMs: 3_600_000,
    clocks: processClocks,
    waits: usualWaits,
    logger: createLogger({ level: "debug", program: "test", destination }),
  });
}

async function read(streams: BodyStreams): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const source = await streams.open(entry, new AbortController().signal);
  await source(async (chunk) => void chunks.push(Buffer.from(chunk)));
  return Buffer.concat(chunks);
}

const path = (): string => join(folder, "files", entry.sha256.slice(0, 2), entry.sha256);

async function waitForFile(): Promise<void> {
  const isWhole = async (): Promise<boolean> =>
    (await readFile(path()).catch(() => Buffer.alloc(0))).equals(good);
  await expect.poll(isWhole).toBe(true);
}

test("W77: a large file that is damaged after it was read costs one reader, and is replaced", async () => {
  const copy = openCopy();
  const streams = createBodyStreams(store, createKeptBodies(copy, store, 10_000));
  await read(streams);
  await waitForFile();
  // By the reader, and for the copy.
  expect(calls).toBe(2);
  const callsOfRead = async (): Promise<number> => {
    const before = calls;
    await read(streams);
    return calls - before;
  };
  // On a busy machine the copy may take longer than a reader waits for it (W85).
  await expect.poll(callsOfRead).toBe(0);
  await truncate(path(), 1_000_000);
  await expect(read(streams)).rejects.toThrow("ended after 1000000");
  expect((await read(streams)).equals(good)).toBe(true);
  await waitForFile();
});

test("W85: however many read a large body that cannot be kept, it is read for the copy once at a time", async () => {
  const copy = openCopy();
  let fetched = 0;
  async function* broken(): AsyncGenerator<Buffer> {
    fetched += 1;
    yield good.subarray(0, 1000);
    throw new Error("the disk is full");
  }
  for (let reader = 0; reader < 100; reader += 1) copy.keepLarge(entry, broken);
  await expect.poll(copy.writeFailures).toBe(1);
  expect(fetched).toBe(1);
  copy.keepLarge(entry, broken);
  await expect.poll(copy.writeFailures).toBe(2);
  expect(fetched).toBe(2);
});
