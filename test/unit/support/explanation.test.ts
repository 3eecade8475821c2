import { describe, expect, test } from "vitest";
import { conclusion, type ProgramFacts } from "../../../cli/support/explain/conclusion.ts";
import { nextStep } from "../../../cli/support/explain/next-step.ts";
import type { ProgramInSource } from "../../../cli/support/explain/program-in-source.ts";
import {
  history,
  lastRun,
  live,
  liveWithProgram,
  newSnapshot,
  oldSnapshot,
  programFacts,
  publishable,
} from "../../support/program-facts.ts";

const unavailable: ProgramInSource = { kind: "unavailable", reason: "It is away." };
const draft: ProgramInSource = { kind: "not_publishable", state: "draft" };
const absent: ProgramInSource = { kind: "absent", elsewhere: [] };
const tenantUnknown: ProgramInSource = { kind: "tenant_unknown" };
const problem = {
  severity: "error",
  code: "program_name_blank",
  programId: "KYOTO-1",
  field: "name",
  value: " ",
  message: "a program needs a name",
} as const;
const invalid: ProgramInSource = { kind: "invalid", problems: [problem] };
const held = { reason: "wrong prices", since: "2026-11-21T12:00:00.000Z" };
const pending = [{ kind: "changed", path: "prices.rooms[0].amount", before: 1, after: 2 }] as const;

function judged(fields: Partial<ProgramFacts>) {
  const facts = programFacts(fields);
  const reached = conclusion(facts);
  return { ...reached, next: nextStep(facts, reached) };
}

describe("what partners get and why", () => {
  test.each<[string, Partial<ProgramFacts>, number, string]>([
    ["served as the source has it", {}, 200, "served"],
    ["served, and the source has changed", { changes: pending }, 200, "served_outdated"],
    ["served, and a draft by now", { source: draft }, 200, "served_leaving"],
    ["served, and gone from the source", { source: absent }, 200, "served_leaving"],
    ["served, and its tenant gone from the source", { source: tenantUnknown }, 200, "served_unlisted"],
    ["served, and invalid by now", { source: invalid }, 200, "served_invalid"],
    ["served, and the source is away", { source: unavailable }, 200, "served_unchecked"],
    ["publishable, and not in the snapshot", { store: live() }, 404, "waiting"],
    ["a draft", { store: live(), source: draft }, 404, "not_publishable"],
    ["invalid", { store: live(), source: invalid }, 404, "invalid"],
    ["not in the source", { store: live(), source: absent }, 404, "unknown_program"],
    [
      "of a tenant that the source does not list",
      { store: live(), source: tenantUnknown },
      404,
      "unknown_tenant",
    ],
    ["not served, and the source is away", { store: live(), source: unavailable }, 404, "unserved_unchecked"],
    ["of a tenant without a snapshot", { store: { kind: "unpublished" } }, 500, "unpublished_tenant"],
    [
      "of a tenant that does not exist",
      { store: { kind: "unpublished" }, source: tenantUnknown },
      500,
      "unknown_tenant",
    ],
    [
      "in a damaged snapshot",
      { store: { kind: "damaged", reason: "A digest differs." } },
      500,
      "damaged_store",
    ],
    ["asked for with an ill-formed id", { programId: "A/B" }, 400, "malformed_id"],
  ])("of a program that is %s", (_, fields, answer, verdict) => {
    const { summary, ...found } = conclusion(programFacts(fields));
    expect(found).toEqual({ answer, verdict });
    expect(summary).toMatch(/\.$/);
  });

  test("names the fields that the next build changes", () => {
    expect(judged({ changes: pending }).summary).toContain("(prices)");
  });

  test("counts the values that a rule keeps from being published", () => {
    const source = { ...publishable, dropped: [problem, problem] } as ProgramInSource;
    expect(judged({ source }).summary).toContain("2 values of the source are not published");
  });

  test("tells a program that is gone from one that never was", () => {
    const store = live({
      history: history({ first: oldSnapshot, last: oldSnapshot, removedBy: newSnapshot }),
    });
    expect(judged({ store, source: absent }).summary).toContain("no longer has");
    expect(judged({ store: live(), source: absent }).summary).toContain("has no");
  });
});

describe("what to do next", () => {
  test("is nothing for a program that is served as it should be", () => {
    expect(judged({}).next.text).toContain("Nothing.");
  });

  test("is to build, when only a build is missing", () => {
    expect(judged({ store: live() }).next.commands).toEqual(["snapshot build --tenant acme"]);
  });

  test("is to end the hold first, when there is one", () => {
    const { next } = judged({ store: live({ hold: held }) });
    expect(next.text).toContain("wrong prices");
    expect(next.commands).toEqual(["snapshot release --tenant acme", "snapshot build --tenant acme"]);
  });

  test("is to mend first what made the last run fail", () => {
    const failure = { code: "shrink_guard", message: "It would shrink." };
    const { next } = judged({ changes: pending, lastRun: lastRun({ outcome: "refused", failure }) });
    expect(next.text).toBe("The last run refused: It would shrink. Then build again.");
  });

  test("is to correct the field that is invalid; until then it is left out", () => {
    const { next } = judged({ source: invalid });
    expect(next.text).toContain("Correct name in the booking system");
    expect(next.text).toContain("until then builds leave it out");
  });

  test("is to set a draft to active, and to end a hold that would keep it back", () => {
    const { next } = judged({ store: live({ hold: held }), source: draft });
    expect(next.text).toContain("set it to active");
    expect(next.commands[0]).toBe("snapshot release --tenant acme");
  });

  test("is to use the source's spelling of the id", () => {
    const source: ProgramInSource = { kind: "absent", elsewhere: [{ tenantId: "acme", programId: "it's" }] };
    expect(judged({ store: live(), source }).next.commands).toEqual([
      "snapshot explain --tenant acme --program 'it'\\''s'",
    ]);
  });

  test("is to look at the tenant that has the program", () => {
    const source: ProgramInSource = {
      kind: "absent",
      elsewhere: [{ tenantId: "other", programId: "KYOTO-1" }],
    };
    expect(judged({ store: live(), source }).next.commands).toEqual([
      "snapshot explain --tenant other --program KYOTO-1",
    ]);
  });

  test("is to restore a program that the booking system has lost", () => {
    const store = live({
      history: history({ first: oldSnapshot, last: oldSnapshot, removedBy: newSnapshot }),
    });
    expect(judged({ store, source: absent }).next.text).toContain("restore it");
  });

  test("is to look at the list, when nobody knows the id", () => {
    expect(judged({ store: live(), source: absent }).next.commands).toEqual([
      "snapshot show --tenant acme --list",
    ]);
  });

  test("is to verify a damaged snapshot", () => {
    const { next } = judged({ store: { kind: "damaged", reason: "x." } });
    expect(next.commands[0]).toBe("snapshot verify --tenant acme");
  });

  test("is to see that a dropped value is corrected, if it is wanted", () => {
    const source = { ...publishable, dropped: [problem] } as ProgramInSource;
    expect(judged({ source, store: liveWithProgram() }).next.text).toContain(
      "Correct it in the booking system",
    );
  });
});
