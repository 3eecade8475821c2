import { expect, test } from "vitest";
import { SpotChoice } from "../../../cli/publish/run/spot-check.ts";
import { programOutcome } from "../../../cli/publish/tenant/program-outcome.ts";
import type { Manifest } from "../../../core/documents/manifest.ts";
import { ProgramTable } from "../../../core/documents/program-table.ts";
import { parseProgramId, parseSnapshotId, parseTenantId } from "../../../core/ground/ids.ts";

const [before, now] = ["20260101T000000Z-00000000", "20260102T000000Z-00000000"].map(parseSnapshotId);
const digest = "0".repeat(64);
const ids = Array.from({ length: 40 }, (_, at) => `p-${at + 10}`);
const tenants = Array.from({ length: 10 }, (_, at) => `tenant-${at}`);

/** A build that left the programs with an even number as they were, or all, if it published nothing. */
function ended(tenantId: string, isPublishedNow: boolean, seen?: "invalid") {
  const programs = new ProgramTable();
  for (const [at, id] of ids.entries()) {
    const folder = at % 2 === 0 ? before : now;
    if (folder !== undefined)
      programs.add(parseProgramId(id), { snapshotId: folder, sha256: digest, size: 1 });
  }
  const manifest = { tenantId: parseTenantId(tenantId), snapshotId: now, programs } as Manifest;
  const facts = { parts: 1n, used: 0 };
  const outcomes = ids.map((id) => programOutcome(id, `sum of ${id}`, seen ?? facts, []));
  return { manifest, isPublishedNow, outcomes };
}

function chosen(run: number, builds: readonly ReturnType<typeof ended>[]) {
  const choice = new SpotChoice(`run ${run}`);
  for (const build of builds) choice.offer(build);
  return choice.candidate;
}

test("P224 the run's id alone chooses the tenant, whichever build ends first, and over many runs it chooses each", () => {
  const builds = tenants.map((tenantId) => ended(tenantId, false));
  const runs = Array.from({ length: 100 }, (_, run) => run);
  const names = runs.map((run) => chosen(run, builds)?.tenantId);
  expect(names).toEqual(runs.map((run) => chosen(run, [...builds].reverse())?.tenantId));
  expect(new Set(names)).toEqual(new Set(tenants));
});

test("P224 up to 8 programs that follow each other are chosen, and over many runs all that were left as they were", () => {
  const found = (isPublishedNow: boolean) => {
    const all = new Set<string>();
    for (let run = 0; run < 400; run += 1) {
      const sums = chosen(run, [ended("acme", isPublishedNow)])?.sums ?? new Map();
      expect(sums.size).toBe(8);
      for (const [id, sum] of sums) {
        expect(sum).toBe(`sum of ${id}`);
        all.add(id);
      }
    }
    return [...all].sort();
  };
  expect(found(false)).toEqual(ids);
  expect(found(true)).toEqual(ids.filter((_, at) => at % 2 === 0));
});

test("P224 a tenant without such programs is never chosen, and a manifest that was written by this run is not kept", () => {
  const others = tenants.slice(1).map((tenantId) => ended(tenantId, false, "invalid"));
  for (let run = 0; run < 20; run += 1) {
    expect(chosen(run, [...others, ended("tenant-0", false)])?.tenantId).toBe("tenant-0");
    expect(chosen(run, [ended("tenant-0", true), ...others])?.manifest).toBeUndefined();
  }
  expect(chosen(0, others)).toBeUndefined();
});
