import { expect, test } from "vitest";
import { RunProblems, runProblem } from "../../../cli/publish/run/run-findings.ts";
import { createReportBudget } from "../../../cli/publish/run/run-report.ts";
import { asFailure } from "../../../core/ground/failure.ts";
import { tenantRunOf } from "../../support/run-reports.ts";

test("P216 a report keeps 200 findings of each kind, counts the others, and names every tenant that vanished", () => {
  const problems = new RunProblems();
  for (let at = 0; at < 300; at += 1) {
    problems.add(runProblem("tenant_duplicate", `t-${at}`));
    problems.add(runProblem("tenant_vanished", `t-${at}`));
  }
  const { found } = problems;
  const kept = (code: string) => found.problems.filter((problem) => problem.code === code).length;
  expect([kept("tenant_duplicate"), kept("tenant_vanished")]).toEqual([200, 300]);
  expect(found.problemsOmitted).toBe(100);
  expect(found.problemCounts).toEqual({ tenant_duplicate: 300, tenant_vanished: 300 });
});

test("P217 a report names as many programs that are left out as it can hold, and counts the others", () => {
  const budget = createReportBudget(200, 3);
  const found = ["a", "b"].map((id) => budget(tenantRunOf(id, { leftOut: ["p1", "p2"] })));
  expect(found.map(({ leftOut, leftOutOmitted }) => [leftOut, leftOutOmitted])).toEqual([
    [["p1", "p2"], 0],
    [["p1"], 1],
  ]);
});

test("an unexpected error is told in its own words", () => {
  expect(asFailure(new TypeError("no such thing"))).toMatchObject({
    code: "internal",
    message: "no such thing",
  });
});
