import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergedConfirmations, withoutGone } from "../../../cli/publish/run/merged-runs.ts";
import type { Confirmation, Confirmations } from "../../../core/confirmations.ts";
import { parseSnapshotId, parseTenantId, type TenantId } from "../../../core/ids.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { runReport } from "../schemas/stored-samples.ts";

const tenants = ["acme", "beta", "gamma"].map(parseTenantId);
const [acme = parseTenantId("acme"), beta = parseTenantId("beta")] = tenants;
const snapshots = ["20270101T000000Z-00000001", "20270101T000100Z-00000002", "20270101T000100Z-00000003"].map(
  parseSnapshotId,
);
/** Few instants, so that they collide; two texts of each. */
const instant = fc
  .record({ minute: fc.nat(6), isShort: fc.boolean() })
  .map(({ minute, isShort }) => `2027-01-01T00:0${minute}:00${isShort ? "" : ".000"}Z`);
const confirmation: fc.Arbitrary<Confirmation> = fc
  .record({
    snapshotId: fc.constantFrom(...snapshots),
    confirmedAt: fc.option(instant),
    triedAt: instant,
    outcome: fc.constantFrom("published", "unchanged", "failed", "held"),
  })
  .map((entry) => (entry.confirmedAt === null ? { ...entry, snapshotId: null } : entry));
const confirmations: fc.Arbitrary<Confirmations> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...tenants), confirmation), { selector: ([tenantId]) => tenantId })
  .map((entries) => new Map(entries));
const ms = (text: string | null | undefined): number => Date.parse(text ?? "0000-01-01T00:00:00Z");

describe("P24 merging confirmations", () => {
  test("never replaces a later reading by an older one, nor takes it for another snapshot's", () => {
    fc.assert(
      fc.property(confirmations, confirmations, (stored, runs) => {
        const merged = mergedConfirmations(stored, runs);
        for (const tenantId of tenants) {
          const [known, run, both] = [stored, runs, merged].map((map) => map.get(tenantId));
          const latestReading = Math.max(ms(known?.confirmedAt), ms(run?.confirmedAt));
          expect(ms(both?.confirmedAt)).toBe(latestReading);
          const readings = [known, run].map((entry) => `${entry?.confirmedAt} ${entry?.snapshotId}`);
          expect(readings).toContain(`${both?.confirmedAt} ${both?.snapshotId}`);
          const tries = [known, run].map((entry) => `${entry?.triedAt} ${entry?.outcome}`);
          expect(tries).toContain(`${both?.triedAt} ${both?.outcome}`);
          expect(ms(both?.triedAt)).toBe(Math.max(ms(known?.triedAt), ms(run?.triedAt)));
        }
      }),
    );
  });

  test("keeps every tenant that either side has, and gives the stored ones themselves when nothing changes", () => {
    fc.assert(
      fc.property(confirmations, confirmations, (stored, runs) => {
        const merged = mergedConfirmations(stored, runs);
        expect([...merged.keys()].sort()).toEqual([...new Set([...stored.keys(), ...runs.keys()])].sort());
        expect(mergedConfirmations(merged, runs)).toBe(merged);
        expect(mergedConfirmations(merged, stored)).toBe(merged);
      }),
    );
  });

  test("a time that cannot be is of a clock that was wrong: it loses, and silences nobody", () => {
    const wrong = entry({ triedAt: "2199-01-01T00:00:00Z", confirmedAt: "2199-01-01T00:00:00Z" });
    const right = entry({ triedAt: at(3), confirmedAt: at(3), outcome: "unchanged" });
    const now = new Date(at(4));
    expect(mergedConfirmations(new Map([[acme, wrong]]), new Map([[acme, right]]), now).get(acme)).toEqual(
      right,
    );
    expect(mergedConfirmations(new Map([[acme, right]]), new Map([[acme, wrong]]), now).get(acme)).toEqual(
      right,
    );
    const failed = entry({ triedAt: at(3), confirmedAt: null, snapshotId: null, outcome: "failed" });
    const kept = mergedConfirmations(new Map([[acme, wrong]]), new Map([[acme, failed]]), now).get(acme);
    expect(kept).toMatchObject({ confirmedAt: wrong.confirmedAt, triedAt: at(3), outcome: "failed" });
  });
});

test("tenants that are gone are forgotten, unless they were tried since the run began", () => {
  const stored = new Map<TenantId, Confirmation>([
    [acme, entry({ triedAt: at(1) })],
    [beta, entry({ triedAt: at(5) })],
  ]);
  const after = (known: readonly string[], startedAt: string): Confirmations =>
    withoutGone(stored, runOfAll(known, startedAt), ({ triedAt }) => triedAt);
  expect([...after([], at(3)).keys()]).toEqual(["beta"]);
  expect([...after(["beta"], at(9)).keys()]).toEqual(["beta"]);
  expect(after(["acme"], at(3))).toBe(stored);
});

function runOfAll(known: readonly string[], startedAt: string): RunReport {
  const report = runReport as unknown as RunReport;
  return {
    ...report,
    ...{ startedAt, outcome: "unchanged", failure: null, problems: [] },
    options: { ...report.options, tenants: null, shard: null },
    tenants: known.map((tenantId) => ({ ...(report.tenants[0] as TenantRun), tenantId })),
  };
}

function at(minute: number): string {
  return `2027-01-01T00:0${minute}:00.000Z`;
}

function entry(fields: Partial<Confirmation>): Confirmation {
  const [snapshotId = null] = snapshots;
  return { snapshotId, confirmedAt: at(1), triedAt: at(1), outcome: "published", ...fields };
}
