import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TenantFacts } from "../../../cli/support/facts/tenants.ts";
import { type Concern, tally, worstSubjectFirst } from "../../../cli/support/judgement/concern.ts";
import { every } from "../../../cli/support/judgement/step.ts";
import { judgedTenant } from "../../../cli/support/judgement/tenant.ts";
import { token } from "../../support/judged-requests.ts";
import { lastRun, liveFacts, reader, tenantFacts } from "../../support/program-facts.ts";

const ago = (hours: number): string => new Date(reader.now.getTime() - hours * 3_600_000).toISOString();
const key = (hours: number, createdAt = ago(1000)) => token(1, { expiresAt: ago(-hours), createdAt });
const tried = (outcome: string, hours = 0.1) => ({
  lastRun: null,
  lastTry: { outcome, triedAt: ago(hours) },
});
const hold = { reason: "rollback", since: ago(3), by: null };
const answers = { requests: 200, failed: 0, limited: 0, refused: 0, failures: [] };

const cases: readonly (readonly [Concern["kind"], Concern["severity"], Partial<TenantFacts>])[] = [
  ["damaged", "bad", { live: null, fault: "manifest.json is missing." }],
  ["never_published", "bad", { live: null }],
  ["empty", "bad", { live: { ...liveFacts, programs: 0 } }],
  ["failing", "bad", tried("failed")],
  ["silent", "bad", tried("unchanged", 80)],
  ["guard", "bad", tried("refused")],
  ["interrupted", "doubtful", tried("interrupted")],
  ["unseen", "doubtful", { lastRun: null, lastTry: null }],
  ["held", "doubtful", { hold }],
  [
    "removed",
    "doubtful",
    { removal: { removedAt: ago(3), openKeys: 0 }, live: { ...liveFacts, programs: 0 } },
  ],
  ["unfinished_removal", "bad", { removal: { removedAt: ago(3), openKeys: 2 } }],
  ["renamed", "doubtful", { rename: { tenantId: "other", at: ago(3) }, notInSource: ago(1) }],
  ["not_in_source", "doubtful", { notInSource: ago(1), lastTry: null }],
  ["shrinking", "doubtful", { mostPrograms: { programs: 30, generatedAt: ago(9) } }],
  ["token_expires", "doubtful", { keys: [key(200)] }],
  ["token_expires", "bad", { keys: [key(20)] }],
  ["token_expired", "bad", { keys: [key(-1)] }],
  ["answers_failed", "bad", { answers: { ...answers, failed: 1 } }],
  ["answers_refused", "bad", { answers: { ...answers, refused: 9 } }],
  ["answers_refused", "doubtful", { answers: { ...answers, refused: 9 }, keys: [token(1)] }],
  ["answers_limited", "doubtful", { answers: { ...answers, limited: 9 } }],
];

const judged = (facts: Partial<TenantFacts>) => judgedTenant(tenantFacts(facts), reader);
const kinds = (facts: Partial<TenantFacts>) => judged(facts).concerns.map(({ kind }) => kind);

describe("P77: how a tenant stands", () => {
  test("is well when nothing is found", () => {
    const { concerns, nextDueAt } = judged({ usualIntervalMs: 900_000 });
    expect([concerns, nextDueAt]).toEqual([
      [expect.objectContaining({ kind: "silent" })],
      "2026-11-21T12:15:01.000Z",
    ]);
    expect(kinds({})).toEqual([]);
  });

  test.each(cases)("%s is %s", (kind, severity, facts) => {
    const found = judged(facts).concerns;
    expect(found.map((concern) => [concern.kind, concern.severity])).toEqual([[kind, severity]]);
    expect(found[0]?.text).toMatch(/[^.]$/);
  });

  test.each([
    [7, 6],
    [100, 90],
  ])("a list that went from %d programs to %d does not shrink", (before, after) => {
    const mostPrograms = { programs: before, generatedAt: ago(9) };
    expect(kinds({ live: { ...liveFacts, programs: after }, mostPrograms })).toEqual([]);
  });

  test("a key that had expired when it was issued, or has a successor, is nobody's surprise", () => {
    expect(kinds({ keys: [key(-1, ago(1))] })).toEqual([]);
    expect(kinds({ keys: [key(-1), token(2, { replaces: key(-1).tokenId })] })).toEqual([]);
  });

  test("P19 names each program that is left out once, however many rows it has", () => {
    const tenantRun = { counts: { invalid: 3 }, leftOut: ["A", "A", "B"] };
    const run = lastRun({ tenantRun: tenantRun as never });
    const [found] = judged({ lastRun: run }).concerns;
    expect([found?.text, found?.programs]).toEqual([
      "last run left out 2 programs with an error",
      ["A", "B"],
    ]);
  });

  test("of several concerns, and of several tenants, the worst comes first, and each tenant counts once", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(cases.map(([, , facts]) => facts)), (all) => {
        const tenants = worstSubjectFirst(all.map(judged));
        const severities = tenants.map(({ concerns: [first] }) => first?.severity);
        const bad = severities.filter((severity) => severity === "bad").length;
        expect(severities.slice(0, bad).every((severity) => severity === "bad")).toBe(true);
        expect(tally(tenants)).toEqual({ bad, doubtful: all.length - bad, well: 0 });
      }),
    );
    const both = { live: { ...liveFacts, programs: 0 }, hold, notInSource: ago(1) };
    expect(kinds(both)).toEqual(["empty", "held", "not_in_source"]);
    const tenantRun = { counts: { invalid: 1 }, leftOut: ["A"] };
    expect(kinds({ hold, lastRun: lastRun({ tenantRun: tenantRun as never }) })).toEqual([
      "left_out",
      "held",
    ]);
  });

  test("names who held it and what for, as far as that is recorded", () => {
    const text = (by: string | null) =>
      judged({ hold: { ...hold, by, reason: "wrong prices." } }).concerns[0]?.text;
    expect(text(null)).toMatch(/^held since .* UTC: wrong prices$/);
    expect(text("ada@desk")).toMatch(/^held since .* UTC by ada@desk: wrong prices$/);
  });

  test("asks for what helps: an access key that ends soon gets another end, one that has ended a successor", () => {
    const command = (hours: number) => judged({ keys: [key(hours)] }).concerns[0]?.steps[0]?.commands;
    expect([command(20), command(-1)]).toEqual([
      [`token expire ${key(1).tokenId} --at 90d`],
      ["token create --tenant acme"],
    ]);
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
    expect(every(ms)).toBe(`every ${words}`);
  });
});
