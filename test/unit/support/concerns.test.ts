import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TenantFacts } from "../../../cli/support/facts/tenants.ts";
import {
  type Concern,
  namedTenants,
  sharedConcerns,
  tally,
  worstSubjectFirst,
} from "../../../cli/support/judgement/concern.ts";
import { printedStep } from "../../../cli/support/judgement/steps.ts";
import { judgedTenant } from "../../../cli/support/judgement/tenant.ts";
import { token } from "../../support/judged-requests.ts";
import { lastRun, liveFacts, reader, tenantFacts } from "../../support/program-facts.ts";

const ago = (hours: number): string => new Date(reader.now.getTime() - hours * 3_600_000).toISOString();
const key = (hours: number, createdAt = ago(1000)) => token(1, { expiresAt: ago(-hours), createdAt });
const tried = (outcome: string, hours = 0.1) => ({
  lastRun: null,
  lastTry: { outcome, triedAt: ago(hours) },
});
const hold = { reason: "rollback", since: ago(3) };
const answers = { requests: 200, failed: 0, limited: 0, refused: 0, failures: [] };

const cases: readonly (readonly [Concern["kind"], Concern["severity"], Partial<TenantFacts>])[] = [
  ["damaged", "bad", { live: null, fault: "manifest.json is missing." }],
  ["never_published", "bad", { live: null }],
  ["empty", "doubtful", { live: { ...liveFacts, programs: 0 } }],
  ["failing", "bad", tried("failed")],
  ["silent", "bad", tried("unchanged", 80)],
  ["guard", "bad", tried("refused")],
  ["interrupted", "doubtful", tried("interrupted")],
  ["unseen", "doubtful", { lastRun: null, lastTry: null }],
  ["snapshot_differs", "bad", { lastRun: lastRun({ differedAt: ago(23) }) }],
  [
    "mostly_withdrawn",
    "bad",
    { lastRun: lastRun({ mostlyWithdrawn: { at: ago(23), withdrawn: 6, of: 8, added: 0 } }) },
  ],
  ["overdue", "bad", { overdueSince: ago(1) }],
  ["held", "doubtful", { hold }],
  [
    "removed",
    "doubtful",
    { removal: { removedAt: ago(3), openKeys: 0 }, live: { ...liveFacts, programs: 0 } },
  ],
  ["unfinished_removal", "bad", { removal: { removedAt: ago(3), openKeys: 2 } }],
  ["not_in_source", "doubtful", { notInSource: ago(1), lastTry: null }],
  ["token_expires", "doubtful", { keys: [key(200)] }],
  ["token_expires", "bad", { keys: [key(20)] }],
  ["token_expired", "bad", { keys: [key(-1)] }],
  ["answers_failed", "bad", { answers: { ...answers, failed: 1 } }],
  ["answers_refused", "bad", { answers: { ...answers, refused: 9 } }],
  ["answers_refused", "doubtful", { answers: { ...answers, refused: 9 }, keys: [token(1)] }],
  ["answers_refused", "bad", { answers: { ...answers, refused: 9 }, keys: [key(-27 * 24)] }],
  ["answers_limited", "doubtful", { answers: { ...answers, limited: 9 } }],
];

const judged = (facts: Partial<TenantFacts>) => judgedTenant(tenantFacts(facts), reader);
const kinds = (facts: Partial<TenantFacts>) => judged(facts).concerns.map(({ kind }) => kind);

describe("P53: how a tenant stands", () => {
  test("is well when nothing is found", () => expect(kinds({})).toEqual([]));

  test.each(cases)("%s is %s", (kind, severity, facts) => {
    const found = judged(facts).concerns;
    expect(found.map((concern) => [concern.kind, concern.severity])).toEqual([[kind, severity]]);
    expect(found[0]?.text).toMatch(/[^.]$/);
  });

  test("a key that had expired when it was issued, or has a successor, is nobody's surprise", () => {
    expect(kinds({ keys: [key(-1, ago(1))] })).toEqual([]);
    expect(kinds({ keys: [key(-1), token(2, { replaces: key(-1).tokenId })] })).toEqual([]);
  });

  test("P19 names the programs that are left out as far as they are recorded, and says how many", () => {
    const run = lastRun({ leftOut: ["A", "B"], leftOutCount: 30 });
    const [found] = judged({ lastRun: run }).concerns;
    expect([found?.text, found?.programs]).toEqual([
      "last run left out 30 programs with an error",
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
    expect(kinds({ hold, lastRun: lastRun({ leftOut: ["A"], leftOutCount: 1 }) })).toEqual([
      "left_out",
      "held",
    ]);
  });

  test("the same concern of several tenants is one, with their number and the first names", () => {
    const failure = { code: "source_contract", message: "The view partner_source.faq is missing." };
    const failed = tried("failed");
    const all = Array.from({ length: 200 }, (_, at) => {
      const lastRunOf = lastRun({ outcome: "failed", failure });
      return judgedTenant(tenantFacts({ ...failed, lastRun: lastRunOf, tenantId: `t${at}` }), reader);
    });
    const [only, ...others] = sharedConcerns([...all, judged({ hold })]);
    expect(only?.concern.text).toContain("The view partner_source.faq is missing");
    expect(namedTenants(only?.tenantIds ?? [])).toBe("200 tenants (t0, t1, t2 and 197 more)");
    expect(others.map(({ concern, tenantIds }) => [concern.kind, tenantIds])).toEqual([["held", ["acme"]]]);
    expect([namedTenants(["a"]), namedTenants(["a", "b"])]).toEqual(["a", "2 tenants (a, b)"]);
  });
});

test("P208 a command for several tenants names none of them, whether the tenant is an option or an argument", () => {
  const removal = { removedAt: ago(3), openKeys: 2 };
  const facts = ["big", "small"].map((tenantId) => judged({ tenantId, removal, live: null }));
  const commands = sharedConcerns(facts).flatMap(({ concern }) =>
    concern.steps.flatMap((step) => printedStep(step, "TENANT").commands),
  );
  expect(commands).toContain("tenant remove TENANT");
  expect(commands).toContain("snapshot build --tenant TENANT");
  expect(commands.join()).not.toMatch(/big|small/);
});
