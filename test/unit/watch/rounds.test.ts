import { expect, test } from "vitest";
import { createNews } from "../../../cli/publish/run/build-session.ts";
import { RoundHealth } from "../../../cli/publish/watch/watch-admin.ts";
import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { runReportOf, tenantRunOf } from "../../support/run-reports.ts";

type Run = readonly [tenantId: string, outcome: TenantRun["outcome"], ...leftOut: string[]];

/** A report of a round, or of one notified tenant. A published tenant has a new snapshot. */
function report(tenants: readonly string[] | null, ...runs: readonly Run[]): RunReport {
  const told = runs.map(([tenantId, outcome, ...leftOut]) => {
    const published = outcome === "published" ? { snapshotId: "20270301T000000Z-00000002" } : {};
    return tenantRunOf(tenantId, { outcome, leftOut, ...published });
  });
  return runReportOf(told, { options: { tenants } });
}

/** Asks as a session does: for each tenant, then for the whole. */
function newsOfReports(): (report: RunReport) => boolean {
  const news = createNews();
  return (report) =>
    [...report.tenants.map(news.isOfTenant), news.isOfSource(report)].some((isNews) => isNews);
}

test("a round that finds what the one before found is no news, whatever that is", () => {
  const isNews = newsOfReports();
  const round = report(null, ["a", "unchanged"], ["b", "held"], ["c", "unchanged", "p-1"], ["d", "failed"]);
  expect([isNews(round), isNews(round), isNews(round)]).toEqual([true, false, false]);
});

test("what is published, left out, mended or refused is news once", () => {
  const isNews = newsOfReports();
  const quiet = report(null, ["a", "unchanged"], ["b", "held"]);
  isNews(quiet);
  for (const changed of [
    report(null, ["a", "unchanged", "p-1"], ["b", "held"]),
    report(null, ["a", "refused"], ["b", "held"]),
  ])
    expect([isNews(changed), isNews(changed), isNews(quiet)]).toEqual([true, false, true]);
  const published = report(null, ["a", "published"], ["b", "held"]);
  expect([isNews(published), isNews(published)]).toEqual([true, true]);
  expect(isNews(quiet)).toBe(false);
});

test("a run of a notified tenant is held against that tenant's last one, and hides nothing of a round", () => {
  const isNews = newsOfReports();
  const round = report(null, ["a", "unchanged"], ["b", "unchanged"]);
  isNews(round);
  expect(isNews(report(["a"], ["a", "failed"]))).toBe(true);
  expect(isNews(report(["b"], ["b", "unchanged"]))).toBe(false);
  expect([isNews(round), isNews(round)]).toEqual([true, false]);
});

test("what is said of the whole source is news once", () => {
  const isNews = newsOfReports();
  const round = report(null, ["a", "unchanged"]);
  const failed = { ...round, failure: { code: "source_unavailable", message: "away" } };
  isNews(round);
  expect([isNews(failed), isNews(failed), isNews(round)]).toEqual([true, false, true]);
});

test("a watch is ready from the end of its first round for three intervals", () => {
  const health = new RoundHealth(1000);
  expect(health.notReadyCause(0)).toMatch(/^no round .* yet$/);
  health.roundEnded(5000, 10, undefined);
  expect(health.notReadyCause(8020)).toBeUndefined();
  expect(health.notReadyCause(8021)).toMatch(/ ended 3 s ago$/);
});

test("a round that failed makes nothing ready, and says why", () => {
  const health = new RoundHealth(1000);
  health.roundEnded(100, 10, "source_unavailable");
  expect(health.notReadyCause(200)).toMatch(/^no round .* yet; .* failed: source_unavailable$/);
  health.roundEnded(300, 10, undefined);
  health.roundEnded(400, 10, "source_contract");
  expect(health.notReadyCause(3000)).toBeUndefined();
  expect(health.notReadyCause(9300)).toMatch(/ ended 9 s ago; .* failed: source_contract$/);
});

test("a round that takes longer than the interval has its time, too", () => {
  const health = new RoundHealth(1000);
  health.roundEnded(60_000, 60_000, undefined);
  expect(health.notReadyCause(180_000)).toBeUndefined();
  expect(health.notReadyCause(184_000)).toBeDefined();
});
