import { randomBytes } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { commit, replacePointer } from "../../../cli/publish/snapshot/commit.ts";
import { type PointerVersion, readPublishedPointer } from "../../../cli/publish/snapshot/stored-snapshot.ts";
import type { Current } from "../../../core/documents/current.ts";
import { Failure } from "../../../core/ground/failure.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import type { ObjectStore, PutResult } from "../../../core/store/object-store.ts";
import { rejectionOf } from "../../support/failure-of.ts";
import { forEachTest } from "../../support/lasting.ts";
import { openStoreTools, toolsTenant } from "../../support/store-tools.ts";

const tools = forEachTest(openStoreTools);
let pointer: PointerVersion;
let next: Current;
beforeEach(async () => {
  await tools.publish("A");
  pointer = await readPublishedPointer(tools.store, parseTenantId(toolsTenant), new AbortController().signal);
  const { generation } = pointer.current;
  next = { ...pointer.current, generation: generation + 1, nonce: nonce() };
});
const nonce = (): string => randomBytes(16).toString("hex");
const unavailable = () => new Failure("store_unavailable", "PutObject: no answer.");

/** The store, with other puts. */
function putting(put: (real: () => Promise<PutResult>, call: number) => Promise<PutResult>): ObjectStore {
  let calls = 0;
  return {
    ...tools.store,
    put: (...args) => {
      calls += 1;
      return put(() => tools.store.put(...args), calls);
    },
  };
}

test("P8 a refusal of our own write, whose reply was lost, counts as success", async () => {
  const store = putting(async (real) => {
    await real();
    return { kind: "refused" };
  });
  expect(await commit(store, pointer, next)).toBe("live");
});

test("a write that failed without effect is made again", async () => {
  const store = putting(async (real, call) => {
    if (call < 3) throw unavailable();
    return await real();
  });
  expect(await commit(store, pointer, next)).toBe("live");
  expect((await tools.current()).nonce).toBe(next.nonce);
});

test("ours, rewritten by a prune or released meanwhile, is still ours", async () => {
  const held = { ...next, hold: { reason: "rollback to x", since: "2027-01-01T00:00:00Z" } };
  for (const hold of [held.hold, null]) {
    const store = putting(async (real) => {
      await real();
      await replacePointer(tools.store, await now(), { ...held, hold, nonce: nonce() });
      throw unavailable();
    });
    const before = await now();
    held.generation = before.current.generation + 1;
    expect(await commit(store, before, { ...held, nonce: nonce() })).toBe("live");
  }
});

test("a pointer that a prune rewrote before ours came is not ours: prunes and releases write what looks the same", async () => {
  const rewritten = { ...pointer.current, nonce: nonce() };
  const store = putting(async () => {
    await replacePointer(tools.store, pointer, { ...pointer.current, nonce: nonce() });
    return { kind: "refused" };
  });
  expect((await replacePointer(store, pointer, rewritten)).kind).toBe("overtaken");
});

test("three builds on top of ours before we look: ours is an ancestor, so it was live", async () => {
  const build = (name: string) => tools.build([{ programId: "KYOTO-1", name }]);
  await build("B");
  const ours = await tools.current();
  for (const name of ["C", "D", "E"]) await build(name);
  const store = putting(async () => {
    throw unavailable();
  });
  expect(await commit(store, pointer, ours)).toBe("live");
});

test("another's snapshot of a lower generation supersedes ours", async () => {
  await tools.publish("B");
  expect(await commit(tools.store, pointer, { ...next, generation: Number.MAX_SAFE_INTEGER })).toBe(
    "superseded",
  );
});

test("a store that refuses again and again though nothing changed is said to, with what to do", async () => {
  const store = putting(async () => ({ kind: "refused" }));
  const failure = await rejectionOf(commit(store, pointer, next));
  expect(failure.code).toBe("store_unavailable");
  expect(failure.message).toContain("refused 3 times to replace");
  expect(failure.message).toContain("store check");
});

test("P8 when no answer can be had, the outcome is said to be unknown and partners to be safe", async () => {
  const store: ObjectStore = {
    ...putting(async () => {
      throw unavailable();
    }),
    get: async () => {
      throw new Failure("store_unavailable", "GetObject: no answer.");
    },
  };
  const failure = await rejectionOf(commit(store, pointer, next));
  expect(failure.code).toBe("store_unavailable");
  expect(failure.message).toMatch(new RegExp(` ${next.snapshotId} of tenant ${toolsTenant} .* not known`));
});

function now(): Promise<PointerVersion> {
  return readPublishedPointer(tools.store, parseTenantId(toolsTenant), new AbortController().signal);
}
