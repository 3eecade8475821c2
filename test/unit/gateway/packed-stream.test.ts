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

test("the limit is exact", async () => {
  const source = inOneBuffer([randomBytes(100_000)]);
  const packed = await packedStream(source, 1e6, never);
  const size = packed?.length ?? 0;
  expect((await packedStream(source, size, never))?.length).toBe(size);
  expect(await packedStream(source, size - 1, never)).toBeNull();
});

test("what the source throws at its very end leaves no bytes", async () => {
  const wrong: ChunkSource = async (take) => {
    await take(Buffer.from("abc"));
    throw new Error("not the digest");
  };
  await expect(packedStream(wrong, 1e6, never)).rejects.toThrow("not the digest");
});

test("a signal ends it", async () => {
  const controller = new AbortController();
  let taken = 0;
  const endless: ChunkSource = async (take) => {
    for (; taken < 1000; taken += 1) {
      if (taken === 3) controller.abort(new Error("all have left"));
      await take(Buffer.alloc(1000));
    }
  };
  await expect(packedStream(endless, 1e6, controller.signal)).rejects.toThrow("all have left");
  expect(taken).toBe(3);
});
