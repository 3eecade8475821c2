import { Readable } from "node:stream";
import { beforeEach, expect, test } from "vitest";
import { parseProgramId, parseTenantId } from "../../../core/ids.ts";
import type { ResponseEntry } from "../../../core/manifest.ts";
import { sha256Hex } from "../../../core/object-body.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import { type BodyCache, type BodyId, bodyId, createBodyCache } from "../../../gateway/body-cache.ts";

const id = detailId("acme", "p1");
const stored = new Map<string, Buffer>();
let reads: string[];
let packed: string[];
let bodies: BodyCache;

beforeEach(() => {
  stored.clear();
  reads = [];
  packed = [];
  bodies = createBodyCache({
    store: {
      async get(key) {
        reads.push(key);
        const bytes = stored.get(key) ?? Buffer.alloc(0);
        const body = Readable.from([bytes]);
        return {
          kind: "object",
          etag: key,
          size: bytes.length,
          modifiedAt: new Date(0),
          body,
        };
      },
    },
    packer: {
      async packBytes(bytes) {
        packed.push(bytes.toString());
        return bytes.subarray(0, 1);
      },
      packEntry: async () => null,
    },
    maxBytes: 64 * 1024,
    callTimeoutMs: 60_000,
    onLookup: () => {},
  });
});

function detailId(tenant: string, program: string): BodyId {
  return bodyId(parseTenantId(tenant), { kind: "detail", programId: parseProgramId(program) });
}

function entry(text: string): ResponseEntry {
  const bytes = Buffer.from(text);
  stored.set(text, bytes);
  return { key: text as ObjectKey, sha256: sha256Hex(bytes), size: bytes.length };
}

test("a id has the body of one snapshot, in the forms that were asked for", async () => {
  const [first, second] = [entry("first"), entry("second")];
  await bodies.load(id, 1, first, true);
  expect(bodies.size()).toBe(512 + "first".length + "f".length);
  expect(bodies.cached(id, 1, true)?.bytes.toString()).toBe("f");
  expect(bodies.cached(id, 2, false)).toBeUndefined();
  expect((await bodies.load(id, 2, second, false)).bytes.toString()).toBe("second");
  expect(bodies.cached(id, 2, false)?.bytes.toString()).toBe("second");
  expect(bodies.cached(id, 1, false)).toBeUndefined();
  expect(bodies.size()).toBe(512 + "second".length);
  expect([reads, packed]).toEqual([["first", "second"], ["first"]]);
});
