import { expect, test } from "vitest";
import { RunProblems, runProblem } from "../../../cli/publish/run/run-findings.ts";

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
