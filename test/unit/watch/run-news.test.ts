import { expect, test } from "vitest";
import { createNews } from "../../../cli/publish/watch/run-history.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { runReport } from "../schemas/stored-samples.ts";

/** A report of a round, or of one told tenant. */
function report(
  tenants: readonly string[] | null,
  outcome: RunReport["outcome"],
  ...runs: readonly (readonly [string, TenantRun["outcome"]])[]
): RunReport {
  const sample = runReport as unknown as RunReport;
  const [run] = sample.tenants;
  if (run === undefined) throw new Error("the sample has no tenant");
  return {
    ...sample,
    outcome,
    options: { ...sample.options, tenants: tenants === null ? null : [...tenants] },
    tenants: runs.map(([tenantId, ended]) => ({ ...run, tenantId, outcome: ended })),
  };
}

test("a run that found nothing is news only after one that found something", () => {
  const isNews = createNews();
  const quiet = report(null, "unchanged", ["a", "unchanged"], ["b", "held"]);
  expect([isNews(quiet), isNews(quiet)]).toEqual([true, false]);
  expect(isNews(report(null, "published", ["a", "published"], ["b", "held"]))).toBe(true);
  expect([isNews(quiet), isNews(quiet)]).toEqual([true, false]);
});

test("that a told tenant is well again is news, whichever run finds it out, and whatever ran between", () => {
  const isNews = createNews();
  const round = report(null, "unchanged", ["a", "unchanged"], ["b", "unchanged"]);
  isNews(round);
  expect(isNews(report(["a"], "failed", ["a", "failed"]))).toBe(true);
  expect(isNews(report(["b"], "unchanged", ["b", "unchanged"]))).toBe(false);
  expect([isNews(round), isNews(round)]).toEqual([true, false]);
});

test("a run that was interrupted is no news", () => {
  expect(createNews()(report(null, "interrupted"))).toBe(false);
});
