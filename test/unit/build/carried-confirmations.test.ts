import { describe, expect, test } from "vitest";
import { carriedStep, withCarried } from "../../../cli/publish/run/merged-confirmations.ts";
import { notBuilt } from "../../../cli/publish/tenant/build-report.ts";
import type { Confirmation, Confirmations } from "../../../core/confirmations.ts";
import { parseSnapshotId, parseTenantId } from "../../../core/ids.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";

const acme = parseTenantId("acme");
const [x, y, z] = ["a", "b", "c"].map((digit) => parseSnapshotId(`20270101T120000Z-${digit.repeat(8)}`));
if (x === undefined || y === undefined || z === undefined) throw new Error("three ids were made");

function published(from: string, to: string, confirmedAt: string | null = null): TenantRun {
  const run = notBuilt(acme, "skipped");
  return { ...run, outcome: "published", previousSnapshotId: from, snapshotId: to, confirmedAt };
}

function confirmed(snapshotId: Confirmation["snapshotId"]): Confirmations {
  const confirmedAt = "2027-01-01T12:00:00.000Z";
  return new Map([[acme, { snapshotId, confirmedAt, triedAt: confirmedAt, outcome: "published" }]]);
}

describe("P23 what a build published that read only the programs it was told of", () => {
  test("is confirmed from when the snapshot before it was, through any number of them", () => {
    const steps = [published(x, y), published(y, z)].flatMap((run) => carriedStep(run) ?? []);
    expect(withCarried(confirmed(x), steps)).toEqual(confirmed(z));
    expect(withCarried(confirmed(y), steps)).toEqual(confirmed(z));
  });

  test("stays unconfirmed when the snapshot before it was", () => {
    const steps = [published(y, z)].flatMap((run) => carriedStep(run) ?? []);
    const before = confirmed(x);
    expect(withCarried(before, steps)).toBe(before);
    expect(withCarried(new Map(), steps)).toEqual(new Map());
  });

  test("is no step where the build confirmed by itself, failed, or was the first", () => {
    expect(carriedStep(published(x, y, "2027-01-01T12:00:00.000Z"))).toBeUndefined();
    expect(carriedStep({ ...published(x, y), outcome: "failed" })).toBeUndefined();
    expect(carriedStep({ ...published(x, y), outcome: "held" })).toBeUndefined();
    expect(carriedStep({ ...published(x, y), previousSnapshotId: null })).toBeUndefined();
  });
});
