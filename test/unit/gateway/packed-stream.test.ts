import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packedStream } from "../../../gateway/body-packer.ts";
import type { ChunkSource } from "../../../gateway/body-stream.ts";

const never = new AbortController().signal;

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
