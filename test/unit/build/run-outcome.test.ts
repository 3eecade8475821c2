import { describe, expect, test } from "vitest";
import { runOutcome } from "../../../cli/publish/run/run-report.ts";
import { notBuilt } from "../../../cli/publish/tenant/build-report.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";

type Outcome = TenantRun["outcome"];

const run = (outcome: Outcome): TenantRun => ({ ...notBuilt(parseTenantId("acme"), "skipped"), outcome });

const plain = { dryRun: false, askedFor: false, onInvalid: "report" } as const;

function exit(outcomes: readonly Outcome[], options: { dryRun?: boolean; askedFor?: boolean } = {}) {
  const result = runOutcome(outcomes.map(run), [], { ...plain, ...options });
  return [result.outcome, result.exitStatus];
}

describe("the exit status of a run", () => {
  test.each<[readonly Outcome[], string, number]>([
    [[], "unchanged", 0],
    [["unchanged"], "unchanged", 0],
    [["published"], "published", 0],
    [["published", "unchanged"], "published", 0],
    [["failed"], "failed", 1],
    [["failed", "refused"], "failed", 1],
    [["failed", "held"], "failed", 1],
    [["published", "failed"], "partial", 3],
    [["unchanged", "failed"], "partial", 3],
    [["published", "refused"], "partial", 3],
    [["unchanged", "refused", "failed"], "partial", 3],
    [["refused"], "refused", 4],
    [["refused", "held"], "refused", 4],
    [["skipped"], "failed", 1],
    [["published", "skipped"], "partial", 3],
  ])("%j is %s: %d", (outcomes, outcome, status) => expect(exit(outcomes)).toEqual([outcome, status]));

  test("P9 a hold is passed over when all tenants are built, and refuses when it was asked for", () => {
    expect(exit(["held"])).toEqual(["unchanged", 0]);
    expect(exit(["published", "held"])).toEqual(["published", 0]);
    expect(exit(["held"], { askedFor: true })).toEqual(["refused", 4]);
    expect(exit(["published", "held"], { askedFor: true })).toEqual(["partial", 3]);
  });

  test("a dry run is told as one when nothing is wrong, and fails like a real one otherwise", () => {
    expect(exit(["would-publish", "unchanged"], { dryRun: true })).toEqual(["dry-run", 0]);
    expect(exit(["would-publish", "failed"], { dryRun: true })).toEqual(["partial", 3]);
    expect(exit(["refused"], { dryRun: true })).toEqual(["refused", 4]);
  });
});

const withInvalid = (outcome: Outcome): TenantRun => {
  const built = run(outcome);
  return { ...built, counts: { ...built.counts, invalid: 1 } };
};

test.each<[Outcome, "report" | "skip" | "fail", number]>([
  ["published", "report", 3],
  ["unchanged", "report", 3],
  ["would-publish", "report", 3],
  ["published", "skip", 0],
  ["unchanged", "skip", 0],
  ["held", "report", 0],
  ["failed", "fail", 1],
  ["refused", "report", 4],
])(
  "P19 programs that were left out of a tenant that is %s make a run with --on-invalid %s end with %d",
  (outcome, onInvalid, status) => {
    expect(runOutcome([withInvalid(outcome)], [], { ...plain, onInvalid }).exitStatus).toBe(status);
  },
);
