import { expect, test } from "vitest";
import { createProblemBudget } from "../../../cli/publish/run/run-report.ts";
import { notBuilt } from "../../../cli/publish/tenant/build-report.ts";
import { parseTenantId } from "../../../core/ids.ts";
import type { Problem, TenantRun } from "../../../schemas/generated/types.ts";

function run(...severities: readonly Problem["severity"][]): TenantRun {
  const problems = severities.map((severity, at) => ({
    severity,
    code: "url_dropped",
    programId: `p${at}`,
    field: null,
    value: null,
    message: "a URL was dropped",
  }));
  return { ...notBuilt(parseTenantId("acme"), "skipped"), problems, problemsOmitted: 1 };
}

function left({ problems, problemsOmitted }: TenantRun) {
  return [problems.map(({ severity }) => severity), problemsOmitted];
}

test("a report holds so many findings of each severity; the others are counted", () => {
  const budgeted = createProblemBudget(2);
  expect(left(budgeted(run("error", "warning")))).toEqual([["error", "warning"], 1]);
  expect(left(budgeted(run("error", "warning", "warning")))).toEqual([["error", "warning"], 2]);
  expect(left(budgeted(run("error", "warning")))).toEqual([[], 3]);
});

test("a run within the bound is handed on as it is", () => {
  const one = run("error", "warning");
  expect(createProblemBudget(1)(one)).toBe(one);
});
