import { Readable } from "node:stream";
import { beforeEach, expect, test } from "vitest";
import { parseProgramId, parseTenantId } from "../../../core/ids.ts";
import type { ResponseEntry } from "../../../core/manifest.ts";
import { sha256Hex } from "../../../core/object-body.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import { type BodyCache, type BodySlot, bodySlot, createBodyCache } from "../../../gateway/body-cache.ts";

const acme = parseTenantId("acme");
const slot = detailSlot("acme", "p1");
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
          isLocal: false,
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

function detailSlot(tenant: string, program: string): BodySlot {
  return bodySlot(parseTenantId(tenant), { kind: "detail", programId: parseProgramId(program) });
}

function entry(text: string): ResponseEntry {
  const bytes = Buffer.from(text);
  stored.set(text, bytes);
  return { key: text as ObjectKey, sha256: sha256Hex(bytes), size: bytes.length };
}

test("P42 a renewed body waits behind the one that is served still, in the forms that were asked for", async () => {
  const [first, second] = [entry("first"), entry("second")];
  await bodies.loadPacked(slot, 1, first);
  const before = bodies.size();
  expect(before).toBe(512 + "first".length + "f".length);
  await bodies.renew(slot, second);
  expect(bodies.held(slot, 1, false)?.bytes.toString()).toBe("first");
  expect(bodies.size()).toBe(before + 512 + "second".length + "s".length);
  expect([reads, packed]).toEqual([
    ["first", "second"],
    ["first", "second"],
  ]);

  expect((await bodies.load(slot, 2, second)).bytes.toString()).toBe("second");
  expect(bodies.held(slot, 2, true)?.bytes.toString()).toBe("s");
  expect(bodies.held(slot, 1, false)).toBeUndefined();
  expect(bodies.size()).toBe(before + 1);
  expect(reads).toHaveLength(2);
});

test("what a body was renewed with is not given for a third snapshot that has another", async () => {
  await bodies.load(slot, 1, entry("first"));
  await bodies.renew(slot, entry("second"));
  expect((await bodies.load(slot, 3, entry("third"))).bytes.toString()).toBe("third");
  expect(reads).toEqual(["first", "second", "third"]);
});

test("a renewal of what is not held, or is held already, reads nothing", async () => {
  await bodies.renew(slot, entry("first"));
  await bodies.load(slot, 1, entry("first"));
  reads = [];
  await bodies.renew(slot, entry("first"));
  expect(reads).toEqual([]);
});

test("only the tenant's bodies that were asked for in the generation are named, and no longer when they are gone", async () => {
  await bodies.load(slot, 1, entry("first"));
  const list = bodySlot(acme, { kind: "list" });
  await bodies.load(list, 2, entry("list"));
  await bodies.load(detailSlot("acmeother", "p1"), 2, entry("other"));
  expect(bodies.askedFor(acme, 1)).toEqual([slot]);
  expect(bodies.askedFor(acme, 2)).toEqual([list]);
  for (let at = 0; at < 40; at += 1) {
    await bodies.load(detailSlot("globex", `p${at}`), 1, entry(`${at}`.padEnd(3000, "x")));
  }
  expect(bodies.askedFor(acme, 1)).toEqual([]);
});
