import { describe, expect, test } from "vitest";
import type { LastRun } from "../../../cli/support/facts/last-builds.ts";
import type { ProgramInSource, ProgramInStore } from "../../../cli/support/facts/program.ts";
import type { TenantFacts } from "../../../cli/support/facts/tenants.ts";
import { type BuildFacts, type BuildState, buildStateOf } from "../../../cli/support/judgement/builds.ts";
import { judgedProgram } from "../../../cli/support/judgement/program.ts";
import type { ProgramFacts } from "../../../cli/support/judgement/standings.ts";
import {
  lastRun,
  live,
  liveWithProgram,
  newSnapshot,
  oldSnapshot,
  programFacts,
  publishable,
  reader,
  tenant,
} from "../../support/program-facts.ts";
import { standingRowIds } from "../../support/standing-rows.ts";

const hold = { reason: "wrong prices", since: "2026-11-21T12:00:00.000Z" };
const problem = {
  severity: "error",
  code: "program_name_blank",
  programId: "KYOTO-1",
  field: "name",
  value: " ",
  message: "no name",
} as const;
const pending = [
  {
    kind: "changed",
    path: "currency",
    before: "EUR",
    after: "USD",
    words: { label: "Currency", before: "EUR", after: "USD" },
  },
] as const;

const draft = { kind: "not_publishable", state: "draft", ifActive: [], dropped: [], lastDay: null } as const;

const sources: readonly ProgramInSource[] = [
  { kind: "unavailable", reason: "It is away." },
  { kind: "tenant_unknown", rows: { kind: "absent", elsewhere: [] } },
  { kind: "tenant_unknown", rows: publishable },
  { kind: "absent", elsewhere: [] },
  { kind: "absent", elsewhere: [{ tenantId: "acme", programId: "kyoto-1" }] },
  { kind: "absent", elsewhere: [{ tenantId: "other", programId: "KYOTO-1" }] },
  draft,
  { kind: "not_publishable", state: "ended", ifActive: [problem], dropped: [], lastDay: "2026-11-01" },
  { kind: "invalid", problems: [problem], dropped: [] },
  { kind: "invalid", problems: [problem], dropped: [problem] },
  publishable,
  { ...publishable, dropped: [problem] } as ProgramInSource,
];

const stores: readonly ProgramInStore[] = [
  { kind: "unpublished", store: "file:/srv/store", isStore: true },
  { kind: "damaged", reason: "A digest differs." },
  live(),
  live({ near: "KYOTO-2" }),
  live({ past: { kind: "removed", last: oldSnapshot, by: newSnapshot, next: null } }),
  liveWithProgram(),
  liveWithProgram({ programs: 1 }),
];

const outcomes = [
  ["published", null],
  ["unchanged", null],
  ["held", "held"],
  ["interrupted", null],
  ["skipped", null],
  ["skipped", "source_unavailable"],
  ["failed", "source_unavailable"],
  ["failed", "invalid_program"],
  ["refused", "shrink_guard"],
  ["refused", "store_unsupported"],
] as const;

const runs = [
  null,
  ...outcomes.flatMap(([outcome, code]) =>
    (["report", "fail"] as const)
      // A build that leaves faults out is not ended by them.
      .filter((onInvalid) => code !== "invalid_program" || onInvalid === "fail")
      .flatMap((onInvalid) =>
        ["2026-11-21T13:00:00.000Z", "2026-11-18T13:00:00.000Z"].map((finishedAt) =>
          lastRun({
            outcome,
            onInvalid,
            finishedAt,
            failure: code === null ? null : { code, message: "Because." },
          }),
        ),
      ),
  ),
];

const questions = [
  ["KYOTO-1", null],
  ["A/B", null],
  ["KYOTO-1", { removedAt: "2026-11-21T12:30:00.000Z", openKeys: 0 }],
] as const;

const there = { ...judgedProgram(programFacts(), reader), programId: "kyoto-1" };

/** Every combination of the facts. */
function* combinations(): Generator<ProgramFacts> {
  for (const source of sources) {
    const isSpelled = source.kind === "absent" && source.elsewhere[0]?.tenantId === "acme";
    for (const store of stores) {
      for (const run of runs) {
        const isCompared = source.kind === "publishable" && store.kind === "live" && store.served !== null;
        for (const changes of isCompared ? [[], pending] : [null]) {
          for (const held of store.kind === "unpublished" ? [null] : [null, hold]) {
            for (const [programId, removal] of questions) {
              const judged = tenant({ lastRun: run, hold: held, removal });
              const otherSpelling = isSpelled ? there : null;
              yield programFacts({ source, store, tenant: judged, changes, programId, otherSpelling });
            }
          }
        }
      }
    }
  }
}

const all = [...combinations()].map((facts) => ({ facts, ...judgedProgram(facts, reader) }));

/** Whether a build that comes may bring what the program needs, told apart from how the table does it. */
function mayBring({ builds, block }: BuildState, isWithdrawal: boolean): boolean {
  return builds !== "failing" && builds !== "silent" && (block === "none" || isWithdrawal);
}

/** P10: a build that would leave the list empty is refused, unless the source states that. */
const isOnly = ({ store }: ProgramFacts): boolean => store.kind === "live" && store.programs === 1;

describe("the table of how a program stands", () => {
  test("P47 has exactly one row for every combination of facts, and no row that none leads to", () => {
    expect([...new Set(all.map(({ row }) => row))].sort()).toEqual(standingRowIds);
  });

  test("P47 promises what a build does only where a build really may do it", () => {
    const waiting =
      /^(unpublished|served_differs|served_absent|served_withdrawn|served_faulty|missing_waiting)\//;
    const promise = /the next one (that gets through )?should|one that gets through should/;
    const wrong = all.filter(({ facts, summary, row }) => {
      const isRefused = /^served_(absent|faulty)/.test(row) && isOnly(facts);
      const isComing =
        waiting.test(row) &&
        !isRefused &&
        mayBring(buildStateOf(facts.tenant, reader), row.startsWith("served_withdrawn"));
      return promise.test(summary) !== isComing;
    });
    expect(wrong.map(({ row, summary }) => [row, summary])).toEqual([]);
  });

  test("P47 asks nobody but operations to change something", () => {
    const changing = /^(snapshot (build|release|rollback)|token (create|rotate|revoke))\b/;
    const asking = all.filter(({ next: { steps, text } }) => {
      const ofSupport = steps.filter(({ who }) => who === "support").flatMap(({ commands }) => commands);
      const isSaid = text.includes("For operations:") === steps.some(({ who }) => who === "operations");
      return steps.length === 0 || ofSupport.some((command) => changing.test(command)) || !isSaid;
    });
    expect(asking.map(({ row }) => row)).toEqual([]);
  });
});

describe("a program that partners do not see", () => {
  const judged = (fields: Partial<ProgramFacts>) =>
    judgedProgram(programFacts({ store: live(), ...fields }), reader);

  test("and a rollback took back is gone, not unknown", () => {
    const past = { kind: "rolled_back", last: oldSnapshot, at: newSnapshot.generatedAt } as const;
    const { row } = judged({ store: live({ past }), source: { kind: "absent", elsewhere: [] } });
    expect(row).toMatch(/^missing_gone/);
  });

  test("of several tenants that have one like it, the one with the very id is named", () => {
    const elsewhere = [
      { tenantId: "beta", programId: "kyoto-1" },
      { tenantId: "gamma", programId: "KYOTO-1" },
    ];
    expect(judged({ source: { kind: "absent", elsewhere } }).summary).toContain("under tenant gamma");
  });

  test("in the sandbox waits for no build, so nothing that keeps builds back is to be done", () => {
    const { next } = judged({ source: draft, tenant: tenant({ isSandbox: true, hold }) });
    expect(next.steps).toHaveLength(1);
  });
});

describe("P240: what a run of the last day found of the tenant", () => {
  const most = { at: "2026-11-21T12:00:05.000Z", withdrawn: 6, of: 8, added: 0 };
  const said = (store: ProgramInStore, run: Partial<LastRun>, of: Partial<TenantFacts> = {}) =>
    judgedProgram(
      programFacts({ store, source: draft, tenant: tenant({ lastRun: lastRun(run), ...of }) }),
      reader,
    );
  const gone = (next: string | null) =>
    live({ past: { kind: "removed", last: oldSnapshot, by: newSnapshot, next } });

  test("is said of a program that it withdrew with most others, and support asks whether that is meant", () => {
    const { summary, next } = said(gone(null), { mostlyWithdrawn: most });
    expect(summary).toContain("The program went with most of its tenant: a build withdrew 6 of 8 programs");
    expect(next.steps[0]).toMatchObject({ who: "support", text: expect.stringContaining("really took") });
  });

  test("is not said of one that an earlier build withdrew, nor a day later, nor of a removed tenant", () => {
    const earlier = said(gone("20261121T120003Z-00000007"), { mostlyWithdrawn: most });
    const later = said(gone("20261121T120007Z-00000007"), { mostlyWithdrawn: most });
    const old = said(gone(null), { mostlyWithdrawn: { ...most, at: "2026-11-20T13:00:00.000Z" } });
    const removal = { removedAt: "2026-11-21T12:30:00.000Z", openKeys: 0 };
    const removed = said(gone(null), { mostlyWithdrawn: most }, { removal });
    const all = [earlier, later, old, removed].map(({ summary }) => summary.includes("with most of its"));
    expect(all).toEqual([false, true, false, false]);
  });

  test("and that differed from the rows, is said of what partners see or saw, and asks for nothing", () => {
    const run = { differedAt: "2026-11-21T12:00:05.000Z" };
    const [served, before, never] = [liveWithProgram(), gone(null), live()].map((store) => said(store, run));
    const words = "Of this tenant, a run found that what partners got was not what unchanged rows give";
    expect([served, before, never].map((each) => each?.summary.includes(words))).toEqual([true, true, false]);
    expect(served?.next).toEqual(said(liveWithProgram(), {}).next);
  });
});

test("P47 no guard is named for a refusal whose reason is not on record", () => {
  const lastTry = { outcome: "refused", triedAt: "2026-11-21T13:00:00.000Z" };
  const { summary, next } = judgedProgram(
    programFacts({ store: live(), tenant: tenant({ lastRun: null, lastTry }) }),
    reader,
  );
  expect(summary).toContain("since a guard stopped it, and which one is not on record");
  expect(next.commands).toEqual(["snapshot build --tenant acme"]);
});

describe("the way from the booking system to partners", () => {
  const at = "2026-11-21T13:00:00.000Z";
  const facts = (fields: Partial<BuildFacts>): BuildFacts => ({
    hold: null,
    lastRun: null,
    lastTry: fields.lastRun ? { outcome: fields.lastRun.outcome, triedAt: fields.lastRun.finishedAt } : null,
    ...fields,
  });

  test.each([
    ["published", null, "running", "none"],
    ["interrupted", null, "interrupted", "none"],
    ["skipped", null, "interrupted", "none"],
    ["skipped", "source_unavailable", "failing", "none"],
    ["failed", "source_unavailable", "failing", "none"],
    ["failed", "invalid_program", "running", "faults"],
    ["refused", "shrink_guard", "running", "guard"],
    // No guard: the store takes no build at all.
    ["refused", "store_unsupported", "failing", "none"],
  ] as const)(
    "P47 after a build that ended as %s (%s), builds are %s and kept back by %s",
    (outcome, code, builds, block) => {
      const failure = code === null ? null : { code, message: "It failed." };
      const run = lastRun({ finishedAt: at, outcome, failure });
      expect(buildStateOf(facts({ lastRun: run }), reader)).toEqual({ builds, block });
    },
  );

  test("P53 is silent when no build has ended within the time in which the reader expects one, by default 26 hours", () => {
    const kind = (buildWithinMs: number | undefined, hoursLater: number) => {
      const later = new Date(Date.parse(at) + hoursLater * 3_600_000);
      const asked = { now: later, zone: "UTC", ...(buildWithinMs === undefined ? {} : { buildWithinMs }) };
      return buildStateOf(facts({ lastRun: lastRun({ finishedAt: at }) }), asked).builds;
    };
    expect([kind(3_600_000, 0.9), kind(3_600_000, 1.1)]).toEqual(["running", "silent"]);
    expect([kind(undefined, 25), kind(undefined, 27)]).toEqual(["running", "silent"]);
  });
});
