import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { sha256Hex } from "../../../core/object-body.ts";
import { createAtomicFiles } from "../../../gateway/last-good/atomic-file.ts";
import { createKeptFiles, type KeptFiles } from "../../../gateway/last-good/kept-files.ts";

const maxBytes = 1024 * 1024;
const small = Array.from({ length: 10 }, (_, at) => Buffer.alloc(50_000, at));
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kept-files-"));
  onTestFinished(() => rm(folder, { recursive: true }));
});

function open(pinned: ReadonlySet<string> = new Set()): KeptFiles {
  const files = createAtomicFiles(folder, () => {});
  return createKeptFiles({ folder, files, maxBytes, pinned: () => pinned, inUse: () => [] });
}

async function write(kept: KeptFiles, bytes: Buffer): Promise<boolean> {
  return await kept.write(sha256Hex(bytes), bytes.length, [bytes]);
}

const names = small.map(sha256Hex);

test("W84: a body that can find no room takes none away from the others", async () => {
  const kept = open();
  for (const bytes of small) await write(kept, bytes);
  await expect(write(kept, Buffer.alloc(maxBytes + 1))).rejects.toThrow("LAST_GOOD_MAX_MB is too small");
  expect(names.filter(kept.has)).toEqual(names);
});

test("W84: nor does one for which there would be room, if it were not for what has to stay", async () => {
  const kept = open(new Set(names.slice(0, 8)));
  for (const bytes of small) await write(kept, bytes);
  await expect(write(kept, Buffer.alloc(maxBytes - 300_000))).rejects.toThrow(
    "LAST_GOOD_MAX_MB is too small",
  );
  expect(names.filter(kept.has)).toEqual(names);
  expect(await write(kept, Buffer.alloc(maxBytes - 500_000))).toBe(true);
  expect(names.filter(kept.has)).toEqual(names.slice(0, 8));
  expect(kept.bytes()).toBeLessThanOrEqual(maxBytes);
});
