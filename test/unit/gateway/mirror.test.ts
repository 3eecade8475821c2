import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tokenRegistryBytes } from "../../../core/documents/token-registry.ts";
import { type ObjectKey, tokensKey } from "../../../core/ground/object-key.ts";
import { dueOf, Mirror } from "../../../gateway/known/mirror.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mirror-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const open = (folder: string) =>
  new Mirror({
    folder,
    identity: () => undefined,
    isStoreAway: () => false,
    clocks: { monotonicMs: () => performance.now(), unixMs: Date.now },
    waits: { beatMs: 5000, keepMs: 60_000 },
    logger: pino({ enabled: false }),
  });

test("W79 gateways that share a folder leave the highest revision there that any of them has kept", async () => {
  const writes = fc.array(
    fc.record({ gateway: fc.nat({ max: 1 }), revision: fc.integer({ min: 1, max: 5 }) }),
    { minLength: 1, maxLength: 6 },
  );
  let round = 0;
  await fc.assert(
    fc.asyncProperty(writes, fc.boolean(), async (sequence, areSideBySide) => {
      round += 1;
      const folder = join(root, String(round));
      const gateways = [open(folder), open(folder)];
      const keep = async ({ gateway, revision }: (typeof sequence)[number]): Promise<void> =>
        await gateways[gateway]?.keepRegistry(
          tokenRegistryBytes({ revision, tokens: [] }),
          performance.now(),
        );
      if (areSideBySide) await Promise.all(sequence.map(keep));
      else for (const write of sequence) await keep(write);
      const highest = Math.max(...sequence.map(({ revision }) => revision));
      const copy = await open(folder).document(tokensKey);
      expect(JSON.parse(String(copy?.value))).toMatchObject({ revision: highest });
    }),
    { numRuns: 30 },
  );
});

test("W85 a document of the copy is touched when its time has come, and read and kept again when the disk has lost it", () => {
  for (const isOnDisk of [true, false]) expect(dueOf({ isOnDisk, dueAtMs: 5 }, 4)).toBe("nothing");
  expect(dueOf({ isOnDisk: true, dueAtMs: 5 }, 5)).toBe("touching");
  expect(dueOf({ isOnDisk: false, dueAtMs: 5 }, 5)).toBe("keeping");
});

test("a body that is larger than what may wait is kept all the same when none waits, and no second one beside it", async () => {
  const mirror = open(root);
  const read: string[] = [];
  const keep = (name: string): void => {
    const key = `tenants/a/snapshots/20270301T000000Z-00000002/${name}` as ObjectKey;
    mirror.keepBody({ key, sha256: "0".repeat(64), size: 100 * 1024 * 1024 }, async () => {
      read.push(name);
      return Buffer.from(name);
    });
  };
  keep("a.json");
  keep("b.json");
  await mirror.stop();
  keep("c.json");
  await mirror.stop();
  expect(read).toEqual(["a.json", "c.json"]);
});
