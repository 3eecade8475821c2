import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readLastBuilds } from "../../../cli/support/facts/last-builds.ts";
import { lastRunsBytes } from "../../../core/documents/last-runs.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { lastRunsKey } from "../../../core/ground/object-key.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { LastRunOfAll, TenantLastRun } from "../../../schemas/generated/types.ts";

const tenantId = parseTenantId("acme");
const at = (hour: number): string => `2026-11-21T${String(hour).padStart(2, "0")}:00:00.000Z`;
const runId = (hour: number): string => `20261121T${String(hour).padStart(2, "0")}0000Z-00000000`;
const failure = { code: "source_contract", message: "A view is missing." };

const ofAll = (hour: number, fields: Partial<LastRunOfAll> = {}): LastRunOfAll => ({
  shard: null,
  runId: runId(hour),
  startedAt: at(hour),
  endedAt: at(hour),
  outcome: "published",
  failure: null,
  tenants: ["acme"],
  ...fields,
});

const own = (hour: number, fields: Partial<TenantLastRun> = {}): TenantLastRun => ({
  runId: runId(hour),
  endedAt: at(hour),
  outcome: "published",
  failure: null,
  onInvalid: "report",
  leftOut: [],
  leftOutCount: 0,
  problemCounts: {},
  ...fields,
});

async function known(runsOfAll: readonly LastRunOfAll[], run?: TenantLastRun) {
  const tenants = new Map(run === undefined ? [] : [[tenantId, run] as const]);
  const document = lastRunsBytes({ runsOfAll, tenants });
  const store = {
    get: async (key: string) =>
      key === lastRunsKey
        ? { kind: "object", etag: "1", modifiedAt: new Date(0), body: Readable.from([document]) }
        : { kind: "missing" },
  } as unknown as ObjectStore;
  const { lastRun, notInSource } = (await readLastBuilds(store, new AbortController().signal)).of(tenantId);
  return [lastRun?.outcome ?? null, lastRun?.failure?.code ?? null, notInSource];
}

test.each([
  ["the tenant's own entry", [ofAll(9)], own(9), ["published", null, null]],
  [
    "a later run of all that failed",
    [ofAll(9, { failure, tenants: [] })],
    own(8),
    ["failed", failure.code, null],
  ],
  ["an earlier one that failed", [ofAll(8, { failure, tenants: [] })], own(9), ["published", null, null]],
  [
    "a run that did others, and was ended",
    [ofAll(9, { outcome: "interrupted" })],
    own(8),
    ["interrupted", null, null],
  ],
  ["what that run did itself", [ofAll(9, { outcome: "interrupted" })], own(9), ["published", null, null]],
  ["a run that skipped it", [ofAll(9)], own(9, { outcome: "skipped" }), ["interrupted", null, null]],
  ["a source that lost it", [ofAll(9, { tenants: ["other"] })], own(8), ["published", null, at(9)]],
  ["a told build since", [ofAll(9, { tenants: ["other"] })], own(10), ["published", null, null]],
  ["one shard of two", [ofAll(9, { shard: "1/2", tenants: [] })], own(8), ["published", null, null]],
  [
    "both shards",
    [ofAll(9, { shard: "1/2", tenants: [] }), ofAll(8, { shard: "2/2", tenants: ["other"] })],
    own(7),
    ["published", null, at(8)],
  ],
  ["nothing", [], undefined, [null, null, null]],
] as const)("the last run of a tenant is told by %s", async (_, runsOfAll, run, expected) => {
  expect(await known(runsOfAll, run)).toEqual(expected);
});
