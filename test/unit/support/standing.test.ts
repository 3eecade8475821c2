import { describe, expect, test } from "vitest";
import type { ProgramInSource } from "../../../cli/support/explain/program-in-source.ts";
import type { ProgramInStore } from "../../../cli/support/explain/program-in-store.ts";
import { lastTry } from "../../../cli/support/read-confirmed.ts";
import { judgement } from "../../../cli/support/standing/judgement.ts";
import type { ProgramFacts } from "../../../cli/support/standing/program-standing.ts";
import { type TenantWay, tenantWay } from "../../../cli/support/standing/tenant-way.ts";
import {
  history,
  lastRun,
  live,
  liveWithProgram,
  oldSnapshot,
  programFacts,
  publishable,
} from "../../support/program-facts.ts";
import { standingRowIds } from "../../support/standing-rows.ts";

const now = new Date("2026-11-21T14:00:00.000Z");
const hold = { reason: "wrong prices", since: "2026-11-21T12:00:00.000Z" };
const problem = {
  severity: "error",
  code: "program_name_blank",
  programId: "KYOTO-1",
  field: "name",
  value: " ",
  message: "a program needs a name",
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

const sources: readonly ProgramInSource[] = [
  { kind: "unavailable", reason: "It is away." },
  { kind: "tenant_unknown" },
  { kind: "absent", elsewhere: [] },
  { kind: "absent", elsewhere: [{ tenantId: "acme", programId: "kyoto-1" }] },
  { kind: "absent", elsewhere: [{ tenantId: "other", programId: "KYOTO-1" }] },
  { kind: "not_publishable", state: "draft" },
  { kind: "invalid", problems: [problem] },
  publishable,
  { ...publishable, dropped: [problem] } as ProgramInSource,
];

const stores: readonly ProgramInStore[] = [
  { kind: "unpublished", store: "file:/srv/store", isStore: true },
  ...[null, hold].flatMap((held): ProgramInStore[] => [
    { kind: "damaged", reason: "A digest differs.", hold: held },
    live({ hold: held }),
    live({ hold: held, near: "KYOTO-2" }),
    live({ hold: held, history: history({ first: oldSnapshot, last: oldSnapshot }) }),
    liveWithProgram({ hold: held }),
    liveWithProgram({ hold: held, programs: 1 }),
  ]),
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
  ["KYOTO-1", "2026-11-21T12:30:00.000Z"],
] as const;

/** Every combination of the facts. */
function* combinations(): Generator<ProgramFacts> {
  for (const source of sources) {
    for (const store of stores) {
      for (const run of runs) {
        const isCompared = source.kind === "publishable" && store.kind === "live" && store.served !== null;
        for (const changes of isCompared ? [[], pending] : [null]) {
          for (const [programId, removedAt] of questions) {
            const held = store.kind === "unpublished" ? null : store.hold;
            const builds = { hold: held, lastRun: run, lastTry: lastTry(run, undefined) };
            const way = tenantWay({ ...builds, lastGoodAt: null, usualIntervalMs: null }, now);
            yield programFacts({ source, store, lastRun: run, way, changes, programId, removedAt });
          }
        }
      }
    }
  }
}

const all = [...combinations()].map((facts) => ({ facts, ...judgement(facts) }));

/** Whether a build that comes may bring what the program needs, told apart from how the table does it. */
function mayBring({ builds, keeper }: TenantWay, isWithdrawal: boolean): boolean {
  return builds.kind !== "failing" && builds.kind !== "silent" && (keeper.kind === "none" || isWithdrawal);
}

/** P10: a build that would leave the list empty is refused, unless the source states that. */
function isOnly({ store }: ProgramFacts): boolean {
  return store.kind === "live" && store.programs === 1;
}

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
        waiting.test(row) && !isRefused && mayBring(facts.way, row.startsWith("served_withdrawn"));
      return promise.test(summary) !== isComing;
    });
    expect(wrong.map(({ row, summary }) => [row, summary])).toEqual([]);
  });

  test("P47 tells of a hold since when and why, wherever it keeps something back", () => {
    const held = all.filter(({ row }) => row.endsWith("/held"));
    const unsaid = held.filter(
      ({ summary, row, next }) =>
        !next.commands.includes("snapshot release --tenant acme") ||
        (/^(served_differs|served_absent|served_faulty|missing_waiting)\//.test(row) &&
          !summary.includes("held since 21 November 2026, 12:00 UTC (wrong prices)")),
    );
    expect([held.length > 0, unsaid.map(({ row }) => row)]).toEqual([true, []]);
  });

  test("P47 says of a held tenant whether builds would come if the hold ended", () => {
    const wrong = all
      .filter(({ row }) => /^(served_differs|missing_waiting)\/held$/.test(row))
      .filter(({ facts, summary }) => {
        const { kind } = facts.way.builds;
        const isSaid = { failing: "Builds fail, too", silent: "Nor has a build ended" } as const;
        const said = Object.entries(isSaid).filter(([, text]) => summary.includes(text));
        return said.map(([name]) => name).join() !== (kind in isSaid ? kind : "");
      });
    expect(wrong.map(({ row, summary }) => [row, summary])).toEqual([]);
  });

  test("P49 asks nobody but operations to change something", () => {
    const changing = /^(snapshot (build|release|rollback)|token (create|rotate|revoke))\b/;
    const asking = all.filter(({ next: { steps, text } }) => {
      const ofSupport = steps.filter(({ who }) => who === "support").flatMap(({ commands }) => commands);
      const isSaid = text.includes("For operations:") === steps.some(({ who }) => who === "operations");
      return steps.length === 0 || ofSupport.some((command) => changing.test(command)) || !isSaid;
    });
    expect(asking.map(({ row }) => row)).toEqual([]);
  });

  test("P47 says of what partners see the same as the answer they get", () => {
    const said = {
      200: /see (it|an older version)/,
      400: /get 400/,
      401: /get 401/,
      404: /404/,
      500: /get 500/,
    } as const;
    const wrong = all.filter(({ answer, summary }) => !said[answer].test(summary) || !/[.?)]$/.test(summary));
    expect(wrong.map(({ row, summary }) => [row, summary])).toEqual([]);
  });
});

describe("the way from the booking system to partners", () => {
  const at = "2026-11-21T13:00:00.000Z";
  const facts = { hold: null, lastGoodAt: null, usualIntervalMs: null };

  test("P47 a program that alone made builds stop is not in its own way", () => {
    const run = lastRun({
      outcome: "failed",
      finishedAt: at,
      failure: { code: "invalid_program", message: "One." },
      tenantRun: { leftOut: ["KYOTO-1"] } as unknown as NonNullable<ReturnType<typeof lastRun>["tenantRun"]>,
    });
    const way = tenantWay({ ...facts, lastRun: run, lastTry: lastTry(run, undefined) }, now);
    expect(judgement(programFacts({ store: live(), lastRun: run, way })).row).toBe("missing_waiting/none");
    const other = programFacts({ store: live(), lastRun: run, way, programId: "NARA-2" });
    expect(judgement(other).summary).toContain('stopped at program "KYOTO-1"');
  });

  test("P50 is silent after three times the usual interval, an hour at least, or a day and two hours", () => {
    const run = lastRun({ finishedAt: at });
    const kind = (usualIntervalMs: number | null, hoursLater: number) =>
      tenantWay(
        { ...facts, usualIntervalMs, lastRun: run, lastTry: lastTry(run, undefined) },
        new Date(Date.parse(at) + hoursLater * 3_600_000),
      ).builds.kind;
    expect([kind(600_000, 0.99), kind(600_000, 1.01)]).toEqual(["running", "silent"]);
    expect([kind(3_600_000, 2.9), kind(3_600_000, 3.1)]).toEqual(["running", "silent"]);
    expect([kind(null, 25), kind(null, 27)]).toEqual(["running", "silent"]);
  });

  test("P50 does not take gaps between reports for gaps between builds that leave none", () => {
    const run = lastRun({ finishedAt: "2026-11-11T13:00:00.000Z" });
    const tried = { snapshotId: null, confirmedAt: null, triedAt: at, outcome: "unchanged" };
    const usualIntervalMs = 10 * 24 * 3_600_000;
    const silentAt = new Date("2026-11-22T16:00:00.000Z");
    const builds = { ...facts, usualIntervalMs, lastRun: run, lastTry: lastTry(run, tried) };
    expect(tenantWay(builds, now).builds.kind).toBe("running");
    expect(tenantWay(builds, silentAt).builds.kind).toBe("silent");
  });

  test("P47 is known to be clear again by a later build without a report", () => {
    const failure = { code: "shrink_guard", message: "Too many." };
    const run = lastRun({ outcome: "refused", failure, finishedAt: "2026-11-21T12:00:00.000Z" });
    const tried = { snapshotId: null, confirmedAt: null, triedAt: at, outcome: "unchanged" };
    const way = tenantWay({ ...facts, lastRun: run, lastTry: lastTry(run, tried) }, now);
    expect(way).toEqual({ builds: { kind: "running", at }, keeper: { kind: "none" } });
  });
});
