import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type HealthFacts,
  type HealthFinding,
  spoken,
  tenantHealth,
  worstFirst,
} from "../../../cli/support/health/tenant-health.ts";
import { tenantConcerns } from "../../../cli/support/standing/tenant-concerns.ts";
import { tenantWay } from "../../../cli/support/standing/tenant-way.ts";
import type { SnapshotId } from "../../../core/ids.ts";

const now = new Date("2027-01-20T12:00:00.000Z");
const ago = (hours: number): string => new Date(now.getTime() - hours * 3_600_000).toISOString();
const live = {
  snapshotId: "20270120T110000Z-00000000" as SnapshotId,
  generation: 7,
  generatedAt: ago(1),
  publishedAt: ago(1),
  confirmedAt: ago(1),
  programs: 20,
  hold: null,
};
const usualIntervalMs = 900_000;
/** The status that these facts make, as `tenantStatus` makes it. */
function statusOf(facts: Omit<HealthFacts["status"], "way" | "concerns">): HealthFacts["status"] {
  const { hold, lastRun, lastTry } = facts;
  const lastGoodAt = facts.live?.confirmedAt ?? null;
  const way = tenantWay({ hold, lastRun, lastTry, lastGoodAt, usualIntervalMs }, now);
  return { ...facts, way, concerns: tenantConcerns({ ...facts, way }) };
}
const well: HealthFacts = {
  status: statusOf({
    tenantId: "acme",
    live,
    lastRun: null,
    lastTry: { outcome: "unchanged", triedAt: ago(0.1) },
    hold: null,
    removedAt: null,
    unfinishedRemoval: null,
    notInSource: null,
    usualIntervalMs,
    fault: null,
  }),
  mostPrograms: { programs: 21, generatedAt: ago(9) },
  holder: null,
  endingTokens: [],
};
const withStatus = (status: Partial<HealthFacts["status"]>): HealthFacts => ({
  ...well,
  status: statusOf({ ...well.status, ...status }),
});
const token = (hours: number) => ({ tokenId: "tok_1", name: null, expiresAt: ago(-hours) });

const cases: readonly (readonly [HealthFinding["kind"], HealthFinding["severity"], HealthFacts])[] = [
  ["damaged", "bad", withStatus({ live: null, fault: "manifest.json is missing." })],
  ["never_published", "bad", withStatus({ live: null })],
  ["empty", "bad", withStatus({ live: { ...live, programs: 0 } })],
  ["failing", "bad", withStatus({ lastTry: { outcome: "failed", triedAt: ago(0.1) } })],
  ["silent", "bad", withStatus({ lastTry: { outcome: "unchanged", triedAt: ago(80) } })],
  ["guard", "bad", withStatus({ lastTry: { outcome: "refused", triedAt: ago(0.1) } })],
  ["held", "doubtful", withStatus({ hold: { reason: "rollback", since: ago(3) } })],
  ["removed", "doubtful", withStatus({ removedAt: ago(3), live: { ...live, programs: 0 } })],
  ["not_in_source", "doubtful", withStatus({ notInSource: ago(1) })],
  ["shrinking", "doubtful", { ...well, mostPrograms: { programs: 30, generatedAt: ago(9) } }],
  ["token_expires", "doubtful", { ...well, endingTokens: [token(200)] }],
  ["token_expires", "bad", { ...well, endingTokens: [token(20)] }],
  ["token_expired", "bad", { ...well, endingTokens: [token(-1)] }],
];

describe("P77: the health of a tenant", () => {
  test("is well when nothing is found", () => {
    expect(tenantHealth(well, now)).toEqual({
      tenantId: "acme",
      findings: [],
      nextDueAt: "2027-01-20T12:09:00.000Z",
    });
  });

  test.each(cases)("%s is %s", (kind, severity, facts) => {
    expect(tenantHealth(facts, now).findings.map((found) => [found.kind, found.severity])).toEqual([
      [kind, severity],
    ]);
  });

  test.each([
    [7, 6],
    [100, 90],
  ])("a list that went from %d programs to %d does not shrink", (before, after) => {
    const facts = withStatus({ live: { ...live, programs: after } });
    const found = tenantHealth({ ...facts, mostPrograms: { programs: before, generatedAt: ago(9) } }, now);
    expect(found.findings).toEqual([]);
  });

  test("names the programs that are left out", () => {
    const lastRun = {
      runId: "20270120T115400Z-00000000",
      startedAt: ago(0.1),
      finishedAt: ago(0.1),
      outcome: "published",
      failure: null,
      onInvalid: "report",
      tenantRun: { counts: { invalid: 2 }, leftOut: ["A", "B"] },
    } as never;
    const [found] = tenantHealth(withStatus({ lastRun }), now).findings;
    expect([found?.kind, found?.programs]).toEqual(["left_out", ["A", "B"]]);
  });

  test("of several findings, and of several tenants, the worst comes first", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(cases.map(([, , facts]) => facts)), (all) => {
        const sorted = worstFirst(all.map((facts) => tenantHealth(facts, now)));
        const severities = sorted.map(({ findings: [first] }) => first?.severity ?? "none");
        expect(severities).toEqual([
          ...severities.filter((severity) => severity === "bad"),
          ...severities.filter((severity) => severity === "doubtful"),
        ]);
      }),
    );
    const both = withStatus({
      live: { ...live, programs: 0 },
      hold: { reason: "rollback", since: ago(3) },
      notInSource: ago(1),
    });
    expect(tenantHealth(both, now).findings.map(({ kind }) => kind)).toEqual([
      "empty",
      "held",
      "not_in_source",
    ]);
  });

  test("names who held it and what for, as far as that is recorded", () => {
    const held = withStatus({ hold: { reason: "rollback to x", since: ago(3) } });
    const text = (holder: HealthFacts["holder"]) => tenantHealth({ ...held, holder }, now).findings[0]?.text;
    expect(text(null)).toContain("Who held it is not recorded.");
    const actor = { user: "ada", host: "desk" };
    expect(text({ actor, reason: "wrong prices." })).toContain("Held by ada@desk: wrong prices.");
  });

  test("asks for what helps: an access key that ends soon gets another end, one that has ended a successor", () => {
    const command = (hours: number) =>
      tenantHealth({ ...well, endingTokens: [token(hours)] }, now).findings[0]?.command;
    expect([command(20), command(-1)]).toEqual(["token expire tok_1 --at 90d", "token create --tenant acme"]);
  });

  test.each([
    [900_000, "15 minutes"],
    [60_000, "minute"],
    [5_400_000, "90 minutes"],
    [3_600_000, "hour"],
    [86_400_000, "24 hours"],
    [172_800_000, "2 days"],
    [500, "second"],
  ])("an interval of %d ms is said as %s", (ms, words) => {
    expect(spoken(ms)).toBe(words);
  });
});
