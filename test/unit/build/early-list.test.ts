import { expect, test } from "vitest";
import { Failure } from "../../../core/ground/failure.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { buildCanned } from "../../support/canned-source.ts";
import { eventually } from "../../support/gateway-client.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";

/** What a build for a notification does with the live list, which it reads while the database works. */

const store = fileStoreForEachTest();
const programsNamed = (...names: readonly string[]) =>
  names.map((name, at) => ({ programId: `p${at}`, name }));

/** Builds from a database that answers only when somebody has asked for the live list. */
async function notifiedBuild(names: readonly string[], getList?: ObjectStore["get"]) {
  await buildCanned(store, "acme", programsNamed("A", "B", "C"));
  let lists = 0;
  const get: ObjectStore["get"] = async (key, options) => {
    if (!key.endsWith("/v1/programs.json")) return await store.get(key, options);
    lists += 1;
    return await (getList ?? store.get)(key, options);
  };
  const onSums = async () => void (await eventually(() => lists, Boolean));
  const options = { isNotified: true, onSums };
  const run = await buildCanned({ ...store, get }, "acme", programsNamed(...names), options);
  return { ...run, lists };
}

test("the list is read before the database has answered, and once", async () => {
  const run = await notifiedBuild(["A", "B", "C!"]);
  expect(run).toMatchObject({ outcome: "published", lists: 1, counts: { unchanged: 2, changed: 1 } });
});

test("a list that cannot be read fails no build that does not need it", async () => {
  const away = () => Promise.reject(new Failure("store_unavailable", "The store is away."));
  const run = await notifiedBuild(["A", "B", "C"], away);
  expect(run).toMatchObject({ outcome: "unchanged", lists: 1, failure: null });
  expect(await notifiedBuild(["A", "B", "C!"], away)).toMatchObject({ outcome: "failed", lists: 1 });
});
