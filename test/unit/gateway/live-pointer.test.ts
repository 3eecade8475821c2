import { expect, test } from "vitest";
import type { SnapshotId } from "../../../core/ground/ids.ts";
import { refuseOlder } from "../../../gateway/known/live-pointer.ts";
import { refreshNeed } from "../../../gateway/known/live-snapshots.ts";
import { remedyOf } from "../../../gateway/request/redis-connection.ts";

const pointer = (generation: number, id: string) => ({ generation, snapshotId: id as SnapshotId });

test("P3 a generation may rise or stay with its snapshot; it neither falls nor names two snapshots", () => {
  const refused = (...[generation, id]: readonly [number, string]) => {
    const current = { ...pointer(generation, id), tenantId: "acme" } as Parameters<typeof refuseOlder>[0];
    return () => refuseOlder(current, pointer(5, "a"), "current.json");
  };
  expect(refused(6, "b")).not.toThrow();
  expect(refused(5, "a")).not.toThrow();
  expect(refused(5, "b")).toThrow("went back from generation 5 (snapshot a) to generation 5 (snapshot b)");
  expect(refused(4, "a")).toThrow("went back");
});

test("P18 a snapshot is confirmed again beside requests near the end of its interval, and before them after it", () => {
  expect([0, 800, 801, 1000, 1001, Infinity].map((ageMs) => refreshNeed(ageMs, 1000))).toEqual([
    "none",
    "none",
    "soon",
    "soon",
    "due",
    "due",
  ]);
});

test("W53 a cluster is opened for a key that has moved, another server for one that cannot count, and nothing for other faults", () => {
  const faults = [
    ["MOVED 1234 10.0.0.1:6379", "cluster"],
    ["READONLY You can't write against a read only replica.", "other_server"],
    ["LOADING Redis is loading the dataset in memory", "other_server"],
    ["Redis did not answer within 250 ms.", "other_server"],
    ["CLUSTERDOWN The cluster is down", "other_server"],
    ["NOPERM this user has no permissions", "none"],
    ["no READONLY", "none"],
    ["", "none"],
  ] as const;
  for (const [fault, remedy] of faults) expect(remedyOf(fault)).toBe(remedy);
});
