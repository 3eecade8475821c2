import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ResponseEntry } from "../../../core/manifest.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import { verifiedChunks } from "../../../gateway/body-stream.ts";

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
