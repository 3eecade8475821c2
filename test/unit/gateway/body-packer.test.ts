import { randomBytes } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ResponseEntry } from "../../../core/documents/manifest.ts";
import { parseTenantId, parseTokenId } from "../../../core/ground/ids.ts";
import type { ObjectKey } from "../../../core/ground/object-key.ts";
import { createBodyPacker, packedStream } from "../../../gateway/bodies/body-packer.ts";
import type { BodyOpener, ChunkSource } from "../../../gateway/bodies/body-stream.ts";
import { FairShares } from "../../../gateway/bodies/fair-shares.ts";

const asker = { tenantId: parseTenantId("a"), tokenId: parseTokenId("tok_0000000000000000") };
const reads = (): FairShares => new FairShares(100);

function entry(name: string): ResponseEntry {
  return { key: `tenants/a/${name}.json` as ObjectKey, sha256: name, size: 1000 };
}

test("bodies from the store are packed one at a time, in order", async () => {
  let underWay = 0;
  let most = 0;
  const opened: string[] = [];
  const open: BodyOpener = async ({ key }) => {
    opened.push(key);
    return async (take) => {
      underWay += 1;
      most = Math.max(most, underWay);
      for (let at = 0; at < 5; at += 1) await take(Buffer.from(key));
      underWay -= 1;
    };
  };
  const packer = createBodyPacker(open, reads(), 10_000);
  const entries = ["1", "2", "3"].map(entry);
  const packed = await Promise.all(entries.map((one) => packer.packEntry(asker, one, 1e6)));
  expect(most).toBe(1);
  expect(opened).toEqual(entries.map(({ key }) => key));
  expect(packed.map((form) => form && gunzipSync(form).toString())).toEqual(
    entries.map(({ key }) => key.repeat(5)),
  );
});

test("a store that never comes to an end holds the others up until the deadline only", async () => {
  // Else the next one would have to be packed within the deadline, too.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const open: BodyOpener = async ({ key }, signal) =>
    key.includes("stuck")
      ? () => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
      : (take) => take(Buffer.from(key));
  const packer = createBodyPacker(open, reads(), 50);
  const stuck = packer.packEntry(asker, entry("stuck"), 1e6);
  const next = packer.packEntry(asker, entry("next"), 1e6);
  const refused = expect(stuck).rejects.toThrow("took longer than 50 ms");
  await vi.advanceTimersByTimeAsync(50);
  await refused;
  expect(await next).not.toBeNull();
});

const never = new AbortController().signal;

test("a gzip form that is as large as the body is not worth sending", async () => {
  const packer = createBodyPacker(() => Promise.reject(), reads(), 50);
  const bodies = Array.from({ length: 40 }, (_, length) => Buffer.alloc(length, "a"));
  const same = bodies.filter((body) => gzipSync(body).length === body.length);
  expect(same).not.toEqual([]);
  for (const body of same) expect(await packer.packBytes(asker, body)).toBeNull();
  expect(await packer.packBytes(asker, Buffer.alloc(40, "a"))).not.toBeNull();
});

/** All chunks in the same memory, as the `file:` store hands them over. */
function inOneBuffer(chunks: readonly Uint8Array[]): ChunkSource {
  const memory = Buffer.alloc(Math.max(...chunks.map((chunk) => chunk.length)));
  return async (take) => {
    for (const chunk of chunks) {
      memory.set(chunk);
      await take(memory.subarray(0, chunk.length));
      memory.fill(0);
    }
  };
}

test("the decoded bytes are the source's, however they are cut, though each chunk's memory is used again", async () => {
  const chunked = fc.array(fc.uint8Array({ minLength: 1, maxLength: 50_000 }), {
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.asyncProperty(chunked, async (chunks) => {
      const packed = await packedStream(inOneBuffer(chunks), 1e6, never);
      expect(gunzipSync(packed ?? "").equals(Buffer.concat(chunks))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("a form above the limit is given up long before the source's end", async () => {
  let taken = 0;
  const endless: ChunkSource = async (take) => {
    for (; taken < 1000; taken += 1) await take(randomBytes(64 * 1024));
  };
  expect(await packedStream(endless, 256 * 1024, never)).toBeNull();
  expect(taken).toBeLessThan(10);
});
