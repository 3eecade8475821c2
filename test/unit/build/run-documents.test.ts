import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withConfirmations } from "../../../cli/publish/run/run-documents.ts";
import type { Confirmation, Confirmations } from "../../../core/confirmations.ts";
import { parseSnapshotId, parseTenantId, type TenantId } from "../../../core/ids.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
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
        const merged = withConfirmations(stored, reportOf(tenantId, run), never);
        const [known, both] = [stored, merged].map((map) => map.get(tenantId));
        expect(ms(both?.confirmedAt)).toBe(Math.max(ms(known?.confirmedAt), ms(run.confirmedAt)));
        const readings = [known, run].map((entry) => `${entry?.confirmedAt} ${entry?.snapshotId}`);
        expect(readings).toContain(`${both?.confirmedAt} ${both?.snapshotId}`);
        const tries = [known, run].map((entry) => `${entry?.triedAt} ${entry?.outcome}`);
        expect(tries).toContain(`${both?.triedAt} ${both?.outcome}`);
        expect(ms(both?.triedAt)).toBe(Math.max(ms(known?.triedAt), ms(run.triedAt)));
        const others = [...stored].filter(([id]) => id !== tenantId);
        expect([...merged].filter(([id]) => id !== tenantId)).toEqual(others);
        expect(withConfirmations(merged, reportOf(tenantId, run), never)).toEqual(merged);
      }),
    );
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
  return withConfirmations(new Map([[acme, known]]), reportOf(acme, run), latest).get(acme);
}

/** The report of a run of one tenant. */
function reportOf(tenantId: TenantId, { outcome, triedAt, ...read }: Confirmation): RunReport {
  const run = tenantRunOf(tenantId, { ...read, outcome: outcome as TenantRun["outcome"] });
  return runReportOf([run], { finishedAt: triedAt, options: { tenants: [tenantId] } });
}

function at(minute: number): string {
  return `2027-01-01T00:0${minute}:00.000Z`;
}

function entry(fields: Partial<Confirmation>): Confirmation {
  const [snapshotId = null] = snapshots;
  return { snapshotId, confirmedAt: at(1), triedAt: at(1), outcome: "published", ...fields };
}
