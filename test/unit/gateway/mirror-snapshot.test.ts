import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Manifest, manifestText } from "../../../core/documents/manifest.ts";
import { ProgramTable } from "../../../core/documents/program-table.ts";
import { parseTenantId, type SnapshotId } from "../../../core/ground/ids.ts";
import { currentKey, manifestKey, responseKey } from "../../../core/ground/object-key.ts";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { bytesBody, readBody } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { type Aside, createAside, writeSnapshot } from "../../../gateway/known/mirror-snapshot.ts";
import { sized } from "../../support/quick-pass.ts";

const tenantId = parseTenantId("acme");
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mirror-snapshot-"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** What a gateway keeps: the snapshot of that second, under that generation. */
function kept(second: number, generation: number) {
  const snapshotId = `20260101T00000${second}Z-0000000${second}` as SnapshotId;
  const entry = (kind: "list" | "legacy") => ({
    key: responseKey(tenantId, snapshotId, { kind }),
    sha256: "0".repeat(64),
    size: 1,
  });
  const manifest: Manifest = {
    tenantId,
    generation,
    snapshotId,
    parent: null,
    generatedAt: "2026-01-01T00:00:00.000Z",
    contract: "c0".repeat(32),
    list: entry("list"),
    legacy: entry("legacy"),
    programs: new ProgramTable(),
  };
  const manifestBytes = Buffer.from([...manifestText(manifest)].join(""));
  return { manifest, manifestBytes, pointer: Buffer.from(JSON.stringify({ generation, snapshotId })) };
}

/** A gateway that keeps a snapshot, one call at a time: each call waits until `step` lets it go on. */
function writer(folder: string, snapshot: ReturnType<typeof kept>) {
  const store = createFileStore({ directory: folder });
  const aside = createAside(folder, snapshot.manifest);
  let go: (() => void) | undefined;
  let isOver = false;
  let onPause = (): void => {};
  const paused = (): Promise<void> => new Promise((resolve) => (onPause = resolve));
  const gated = <Arguments extends readonly unknown[], Result>(
    call: (...args: Arguments) => Promise<Result>,
  ) => {
    return async (...args: Arguments): Promise<Result> => {
      await new Promise<void>((resolve) => {
        go = resolve;
        onPause();
      });
      return await call(...args);
    };
  };
  const files: Pick<ObjectStore, "get" | "put" | "listFolders"> = {
    get: gated(store.get),
    put: gated(store.put),
    listFolders: store.listFolders,
  };
  const gatedAside: Aside = {
    move: gated(aside.move),
    putBack: gated(aside.putBack),
    remove: gated(aside.remove),
  };
  const first = paused();
  const done = writeSnapshot(files, gatedAside, snapshot).then(() => {
    isOver = true;
    onPause();
  });
  return {
    begun: first,
    done,
    isOver: () => isOver,
    async step(): Promise<void> {
      const next = paused();
      go?.();
      await next;
    },
  };
}

/**
 * The writers take calls by turns: each number says how many calls the next one makes. What is left goes in
 * order.
 */
async function run(turns: readonly number[], [first, second]: readonly ReturnType<typeof writer>[]) {
  const writers = [first, second].flatMap((one) => one ?? []);
  await Promise.all(writers.map(({ begun }) => begun));
  for (const [at, calls] of [...turns, 100, 100].entries()) {
    const one = writers[at % 2];
    for (let made = 0; made < calls && one?.isOver() === false; made += 1) await one.step();
  }
  await Promise.all(writers.map(({ done }) => done));
}

/** The newest pointer in the folder, and whether its manifest is there. */
async function found(folder: string) {
  const store = createFileStore({ directory: folder });
  const pointer = await store.get(currentKey(tenantId));
  if (pointer.kind !== "object") throw new Error("there is no pointer");
  const { generation, snapshotId } = JSON.parse(String(await readBody(pointer, 1000, "pointer")));
  const manifest = await store.get(manifestKey(tenantId, snapshotId));
  return { generation, manifest: manifest.kind };
}

const depth = sized({ whole: 14, quick: 4 });
const orders = Array.from({ length: depth }, (_, a) => a).flatMap((a) =>
  Array.from({ length: depth }, (_, b) => [a, b + 1] as const),
);

for (const [name, newer] of [
  ["a newer snapshot", 3],
  ["a rollback to an older snapshot", 1],
] as const) {
  test(`W189 two gateways, of which one keeps ${name}: in all orders with two changes between them, the newest pointer has its manifest`, async () => {
    for (const swapped of [false, true]) {
      for (const [at, turns] of orders.entries()) {
        const folder = join(root, `${swapped}-${at}`);
        const store = createFileStore({ directory: folder });
        const old = kept(1, 1);
        await store.put(manifestKey(tenantId, old.manifest.snapshotId), bytesBody(old.manifestBytes));
        await store.put(currentKey(tenantId), bytesBody(old.pointer));
        const pair = [writer(folder, kept(2, 2)), writer(folder, kept(newer, 3))];
        await run(turns, swapped ? pair.reverse() : pair);
        expect([turns, await found(folder)]).toEqual([turns, { generation: 3, manifest: "object" }]);
      }
    }
  });
}

test("W189 one gateway after the other: folders of older snapshots go", async () => {
  const store = createFileStore({ directory: root });
  for (const snapshot of [kept(1, 1), kept(2, 2), kept(3, 3)])
    await writeSnapshot(store, createAside(root, snapshot.manifest), snapshot);
  const folders: string[] = [];
  for await (const folder of store.listFolders(`tenants/${tenantId}/snapshots/`)) folders.push(folder);
  expect(folders).toEqual([kept(3, 3).manifest.snapshotId]);
});
