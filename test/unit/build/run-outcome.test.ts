import { describe, expect, test } from "vitest";
import { createReportBudget, runOutcome, runTotals } from "../../../cli/publish/run/run-report.ts";
import { notBuilt } from "../../../cli/publish/tenant/build-report.ts";
import { parseTenantId } from "../../../core/ids.ts";
import type { Problem, TenantRun } from "../../../schemas/generated/types.ts";
import { runReport } from "../schemas/stored-samples.ts";

type Outcome = TenantRun["outcome"];

function run(outcome: Outcome): TenantRun {
  return { ...notBuilt(parseTenantId("acme"), "skipped"), outcome };
}

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
  ])("%j is %s: %d", (outcomes, outcome, status) => {
    expect(exit(outcomes)).toEqual([outcome, status]);
  });

  test("P9 a hold is passed over when all tenants are built, and refuses when it was asked for", () => {
    expect(exit(["held"])).toEqual(["unchanged", 0]);
    expect(exit(["published", "held"])).toEqual(["published", 0]);
    expect(exit(["held"], { askedFor: true })).toEqual(["refused", 4]);
    expect(exit(["published", "held"], { askedFor: true })).toEqual(["partial", 3]);
  });

  test("a tenant that could not even be named counts as failed; a warning does not", () => {
    const problem = (severity: Problem["severity"]): Problem => ({
      severity,
      code: "tenant_id_invalid",
      programId: null,
      field: "tenant_id",
      value: "bad tenant!",
      message: "no tenant's id",
    });
    const options = plain;
    expect(runOutcome([run("published")], [problem("error")], options).exitStatus).toBe(3);
    expect(runOutcome([], [problem("error")], options).exitStatus).toBe(1);
    expect(runOutcome([run("published")], [problem("warning")], options).exitStatus).toBe(0);
  });

  test("a dry run is told as one when nothing is wrong, and fails like a real one otherwise", () => {
    expect(exit(["would-publish", "unchanged"], { dryRun: true })).toEqual(["dry-run", 0]);
    expect(exit(["would-publish", "failed"], { dryRun: true })).toEqual(["partial", 3]);
    expect(exit(["refused"], { dryRun: true })).toEqual(["refused", 4]);
  });
});

describe("P19 programs that were left out", () => {
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
  ])("of a tenant that is %s make a run with --on-invalid %s end with %d", (outcome, onInvalid, status) => {
    expect(runOutcome([withInvalid(outcome)], [], { ...plain, onInvalid }).exitStatus).toBe(status);
  });

  test("of one tenant tell in a run of many", () => {
    const result = runOutcome([withInvalid("unchanged"), run("published"), run("held")], [], plain);
    expect(result).toEqual({ outcome: "partial", exitStatus: 3 });
  });
});

describe("the totals of a run", () => {
  test("sum the tenants' counts, outcomes, bytes and findings, the omitted ones included", () => {
    const one: TenantRun = {
      ...run("published"),
      bytesWritten: 10,
      counts: { programs: 3, added: 1, changed: 1, removed: 2, unchanged: 1, notPublishable: 4, invalid: 0 },
      problemsOmitted: 6,
      problemCounts: { url_dropped: 7 },
    };
    const other: TenantRun = {
      ...run("failed"),
      counts: { programs: 5, added: 5, changed: 0, removed: 0, unchanged: 0, notPublishable: 0, invalid: 2 },
      problemCounts: { program_name_blank: 2, currency_invalid: 1 },
    };
    const vanished = {
      severity: "warning",
      code: "tenant_vanished",
      programId: null,
      field: null,
      value: "x",
      message: "gone",
    } as const;
    expect(runTotals([one, other], [vanished])).toEqual({
      tenants: {
        published: 1,
        unchanged: 0,
        held: 0,
        refused: 0,
        failed: 1,
        skipped: 0,
        "would-publish": 0,
      },
      programs: {
        programs: 8,
        added: 6,
        changed: 1,
        removed: 2,
        unchanged: 1,
        notPublishable: 4,
        invalid: 2,
        withdrawn: 0,
      },
      bytesWritten: 10,
      errors: 2,
      warnings: 9,
    });
  });
});

test("a report holds so many findings and names of left-out programs; the others are counted", () => {
  const [problem] = runReport.tenants.flatMap(({ problems }) => problems as unknown as Problem[]);
  if (problem === undefined) throw new Error("the sample has no finding");
  const found = {
    ...run("unchanged"),
    problems: [problem, problem],
    problemsOmitted: 1,
    leftOut: ["a", "b"],
  };
  const withinBudget = createReportBudget(3, 1);
  const counts = [found, found]
    .map(withinBudget)
    .map((cut) => [...[cut.problems.length, cut.problemsOmitted, cut.leftOut?.length, cut.leftOutOmitted]]);
  expect(counts).toEqual([
    [2, 1, 1, 1],
    [1, 2, 0, 2],
  ]);
});
