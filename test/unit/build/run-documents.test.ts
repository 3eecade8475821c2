import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Noted,
  noteRun,
  noteTenant,
  nothingNoted,
  withConfirmations,
} from "../../../cli/publish/run/run-documents.ts";
import type { Confirmation, Confirmations } from "../../../core/documents/confirmations.ts";
import { parseSnapshotId, parseTenantId, type TenantId } from "../../../core/ground/ids.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { runReportOf, tenantRunOf } from "../../support/run-reports.ts";

const tenants = ["acme", "beta", "gamma"].map(parseTenantId);
const [acme = parseTenantId("acme")] = tenants;
const snapshots = ["20270101T000000Z-00000001", "20270101T000100Z-00000002", "20270101T000100Z-00000003"].map(
  parseSnapshotId,
);
const never = "9999-01-01T00:00:00Z";
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

describe("P23 merging confirmations", () => {
  test("never replaces a later reading by an older one, nor takes it for another snapshot's", () => {
    fc.assert(
      fc.property(confirmations, fc.constantFrom(...tenants), confirmation, (stored, tenantId, run) => {
        const merged = withConfirmations(stored, notedOf(tenantId, run), never);
        const [known, both] = [stored, merged].map((map) => map.get(tenantId));
        expect(ms(both?.confirmedAt)).toBe(Math.max(ms(known?.confirmedAt), ms(run.confirmedAt)));
        const readings = [known, run].map((entry) => `${entry?.confirmedAt} ${entry?.snapshotId}`);
        expect(readings).toContain(`${both?.confirmedAt} ${both?.snapshotId}`);
        const tries = [known, run].map((entry) => `${entry?.triedAt} ${entry?.outcome}`);
        expect(tries).toContain(`${both?.triedAt} ${both?.outcome}`);
        expect(ms(both?.triedAt)).toBe(Math.max(ms(known?.triedAt), ms(run.triedAt)));
        const others = [...stored].filter(([id]) => id !== tenantId);
        expect([...merged].filter(([id]) => id !== tenantId)).toEqual(others);
        expect(withConfirmations(merged, notedOf(tenantId, run), never)).toEqual(merged);
      }),
    );
  });

  test("gives the same whether runs were written one by one or noted together", () => {
    fc.assert(
      fc.property(confirmations, fc.array(confirmation, { maxLength: 5 }), (stored, runs) => {
        const oneByOne = runs.reduce(
          (known, run) => withConfirmations(known, notedOf(acme, run), never),
          stored,
        );
        const together = withConfirmations(stored, notedOf(acme, ...runs), never);
        const times = (entry: Confirmation | undefined) => [ms(entry?.confirmedAt), ms(entry?.triedAt)];
        expect(times(together.get(acme))).toEqual(times(oneByOne.get(acme)));
      }),
    );
  });

  test("P194: 300 runs of one tenant each are merged into 10,000 tenants at once", () => {
    const all = Array.from({ length: 10_000 }, (_, at) => parseTenantId(`t-${at}`));
    const stored = new Map(all.map((tenantId) => [tenantId, entry({})]));
    const noted = nothingNoted();
    const beganAt = performance.now();
    for (const tenantId of all.slice(0, 300)) {
      const run = tenantRunOf(tenantId, { confirmedAt: at(5) });
      noteOne(noted, tenantId, run, at(5));
    }
    const merged = withConfirmations(stored, noted, never);
    // With a copy of the map for each report, it took three seconds.
    expect(performance.now() - beganAt).toBeLessThan(500);
    expect([...merged.values()].filter(({ confirmedAt }) => confirmedAt === at(5))).toHaveLength(300);
  });

  test("a time that cannot be is of a clock that was wrong: it loses, and silences nobody", () => {
    const wrong = entry({ triedAt: "2199-01-01T00:00:00Z", confirmedAt: "2199-01-01T00:00:00Z" });
    const right = entry({ triedAt: at(3), confirmedAt: at(3), outcome: "unchanged" });
    expect(merged(wrong, right, at(4))).toEqual(right);
    const failed = entry({ triedAt: at(3), confirmedAt: null, snapshotId: null, outcome: "failed" });
    expect(merged(wrong, failed, at(4))).toEqual({ ...wrong, triedAt: at(3), outcome: "failed" });
  });
});

/** What becomes of a stored entry when a run says something else. */
function merged(known: Confirmation, run: Confirmation, latest = never): Confirmation | undefined {
  return withConfirmations(new Map([[acme, known]]), notedOf(acme, run), latest).get(acme);
}

/** What is noted of runs of one tenant. */
function notedOf(tenantId: TenantId, ...runs: readonly Confirmation[]): Noted {
  const noted = nothingNoted();
  for (const { outcome, triedAt, ...read } of runs) {
    const run = tenantRunOf(tenantId, { ...read, outcome: outcome as TenantRun["outcome"] });
    noteOne(noted, tenantId, run, triedAt);
  }
  return noted;
}

const at = (minute: number): string => `2027-01-01T00:0${minute}:00.000Z`;

function entry(fields: Partial<Confirmation>): Confirmation {
  const [snapshotId = null] = snapshots;
  return { snapshotId, confirmedAt: at(1), triedAt: at(1), outcome: "published", ...fields };
}

/** Notes a run of one tenant. */
function noteOne(noted: Noted, tenantId: TenantId, run: TenantRun, endedAt: string): void {
  const report = runReportOf([run], { finishedAt: endedAt, options: { tenants: [tenantId] } });
  noteTenant(noted, run, { runId: report.runId, endedAt, onInvalid: report.options.onInvalid }, never);
  noteRun(noted, report, never);
}
