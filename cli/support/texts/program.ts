import { printable, singleLine } from "../../../core/ground/printable.ts";
import type { Problem } from "../../../schemas/generated/types.ts";
import { changeLines } from "../../output/field-words.ts";
import { type Labelled, type Layout, labelledLines, wrapped } from "../../output/layout.ts";
import { counted } from "../../output/words.ts";
import type { ProgramPast, SnapshotMoment } from "../../read/snapshots/program-past.ts";
import type { Explanation } from "../explain.ts";
import type { ProgramInSource, ServedProgram } from "../facts/program.ts";
import { problemWords, saidStates } from "../judgement/problem-words.ts";
import { verdictTone } from "../judgement/standings.ts";
import { type Judgement, stepText } from "../judgement/steps.ts";
import {
  type DescribedRow,
  describedAge,
  describedBuilds,
  holdLine,
  type Line,
  labelledRows,
  lastRunJson,
  type Piece,
} from "./description.ts";

/** What partners see of a program and why, with the differences to what the booking system has. */
export function explanationText(explanation: Explanation, layout: Layout): string {
  const { tenantId, programId, verdict } = explanation;
  const described = labelledRows(describedProgram(explanation), layout);
  const rows = [...described, ...comparedRow(explanation.changes, layout)];
  const title = `Program ${printable(programId)} of tenant ${tenantId}`;
  return answerText({ ...explanation, title, tone: verdictTone(verdict), rows }, layout);
}

/** The answer to a question of support: first the answer, then its facts, and the next steps last. */
export function answerText(
  answer: Judgement & {
    readonly title: string;
    readonly tone: "good" | "doubtful" | "bad";
    readonly rows: readonly Labelled[];
  },
  { style, width }: Layout,
): string {
  // Each command stands on a line of its own, ready to be copied.
  const steps = answer.next.steps.flatMap((step, at) => {
    const mark = at === 0 ? `${style.bold("Next:")} ` : "      ";
    const lines = wrapped(`${mark}${printable(stepText(step))}`, width, at === 0 ? 6 : 0);
    return [...lines, ...step.commands.map((command) => `  partner-programs ${singleLine(command)}`)];
  });
  return [
    `${style.bold(answer.title)}\n`,
    `${wrapped(style[answer.tone](printable(answer.summary)), width).join("\n")}\n\n`,
    labelledLines(answer.rows, width),
    `\n${steps.map((line) => `${line}\n`).join("")}`,
  ].join("");
}

function comparedRow(changes: Explanation["changes"], layout: Layout): readonly Labelled[] {
  if (changes === null) return [];
  const { style } = layout;
  if (changes.length === 0)
    return [["compared", style.good("what partners see is what the booking system has")]];
  const differ = changes.length === 1 ? "value differs" : "values differ";
  const head = style.doubtful(`${changes.length} ${differ} (partners see → booking system has)`);
  // The texts of the facts begin in this column.
  const inner = { ...layout, width: layout.width - 18 };
  return [["compared", head, ...changes.flatMap((change) => changeLines(change, inner))]];
}

/** The chain that leads from the booking system to the partner, for `snapshot explain` and for its page. */
export function describedProgram(explanation: Explanation): readonly DescribedRow[] {
  const { source, store, tenant } = explanation;
  return [
    tenant.isSandbox
      ? ["sandbox", "its programs come with the generator, and `sandbox init` published them once"]
      : ["booking system", ...sourceLines(source)],
    ["sold out", ...placeLines(source)],
    ...describedStore(explanation),
    ["hold", store.kind === "unpublished" ? null : holdLine(tenant.hold)],
    ...(tenant.isSandbox ? [] : describedBuilds(tenant)),
  ];
}

/** A finding in words, with the rule's code and the field for the person who corrects it. */
export function problemText(problem: Problem): string {
  const place = problem.field === null ? "" : `, ${problem.field}`;
  return `${problemWords(problem)} (${problem.code}${place})`;
}

function describedStore({ store, tenant }: Explanation): readonly DescribedRow[] {
  if (store.kind === "damaged") return [["live", { tone: "bad", text: "damaged" }, store.reason]];
  if (store.kind === "unpublished") {
    const what = store.isStore ? "nothing is published for this tenant" : "there is no store";
    return [["live", { tone: "bad", text: `${what} in ${store.store}` }]];
  }
  const { snapshotId, programs, served, past } = store;
  const isServed = served !== null;
  const has: Piece = {
    tone: isServed ? "good" : "bad",
    text: `${isServed ? "with" : "without"} this program`,
  };
  return [
    ["live", [{ id: snapshotId }, `, ${counted(programs, "program")}, `, has]],
    ...(tenant.live === null || tenant.isSandbox ? [] : describedAge(tenant.live)),
    ["served", ...(past === null ? [] : pastLines(past))],
    ["content", served?.builtBy ? ["as built by ", { id: served.builtBy }] : null],
  ];
}

/** Where the program was last, and what took it out. */
export function pastLines(past: ProgramPast): readonly Line[] {
  const shown = (before: string, { snapshotId, generatedAt, isKept }: SnapshotMoment): Line => {
    return [before, { id: snapshotId }, ", ", { time: generatedAt }, isKept ? "" : ", no longer kept"];
  };
  switch (past.kind) {
    case "never": {
      const others = past.isCut ? "; of others nothing is known" : "";
      return [`never, in the ${past.snapshotsExamined} snapshot(s) that are known${others}`];
    }
    case "removed":
      return [shown("last in ", past.last), shown("taken out by ", past.by)];
    case "rolled_back":
      return [shown("last in ", past.last), ["taken out by a rollback, ", { time: past.at }]];
    case "came_later":
      return [shown("first in ", past.first)];
    case "not_kept":
      return ["what was published then is not kept"];
  }
}

const inSource: Readonly<Record<Exclude<ProgramInSource["kind"], "not_publishable">, Piece>> = {
  unavailable: { tone: "doubtful", text: "could not be asked" },
  tenant_unknown: { tone: "bad", text: "does not list the tenant" },
  absent: { tone: "bad", text: "has no program of this id for this tenant" },
  invalid: { tone: "bad", text: "has it, but it cannot be published" },
  publishable: { tone: "good", text: "has it, active and fit to be published" },
};

function sourceLines(source: ProgramInSource): readonly Line[] {
  const unseen = "dropped" in source ? findings("not published:", source.dropped) : [];
  if (source.kind === "not_publishable") {
    const state: Line = ["has it, as ", { tone: "doubtful", text: saidStates(source) }];
    const active = findings("nor if active:", source.ifActive);
    return [state, "only active programs are published", ...active, ...unseen];
  }
  const first = inSource[source.kind];
  switch (source.kind) {
    case "unavailable":
      return [first, source.reason];
    case "tenant_unknown":
      return [first, ...sourceLines(source.rows)];
    case "absent": {
      const found = (other: (typeof source.elsewhere)[number]): string =>
        `but has ${JSON.stringify(other.programId)} under tenant ${other.tenantId}`;
      return [first, ...source.elsewhere.map(found)];
    }
    case "invalid":
      return [first, ...source.problems.map(problemText), ...unseen];
    default:
      return [first, ...unseen];
  }
}

function findings(text: string, problems: readonly Problem[]): readonly Line[] {
  return problems.map((problem) => [{ tone: "doubtful", text }, ` ${problemText(problem)}`]);
}

/** The enrollments that fill a sold-out program. A cancelled one whose status nobody named counts, too. */
function placeLines(source: ProgramInSource): readonly Line[] {
  if (source.kind !== "publishable" || source.statuses === undefined) return [];
  const lines = source.statuses.map(({ status, isStaff, count, takesPlace }) => {
    const name = `${status === null ? "NULL" : singleLine(status)}${isStaff ? " (staff)" : ""}`;
    return `${name} (${count}): takes ${takesPlace ? "a" : "no"} place`;
  });
  return [...lines, "TERMINAL_ENROLLMENT_STATUSES names the statuses that take none"];
}

/** The object that `snapshot explain --json` prints; documented in docs/json.md. */
export function explanationJson(explanation: Explanation, now: Date): object {
  const { tenantId, programId, answer, verdict, row, summary } = explanation;
  const { source, tenant, changes, next } = explanation;
  const { lastRun } = tenant;
  const { kind, dropped, statuses = null } = source.kind === "publishable" ? source : {};
  return {
    at: now.toISOString(),
    tenantId,
    renamedFrom: null,
    programId,
    answer,
    verdict,
    row,
    summary,
    source: kind === undefined ? source : { kind, dropped, statuses },
    live: liveJson(explanation),
    pendingChanges: changes,
    garbled: null,
    lastRun: lastRun && { ...lastRunJson(lastRun), problems: null },
    next,
  };
}

function liveJson({ store, tenant }: Explanation): object {
  const { hold } = tenant;
  if (store.kind === "unpublished") return store;
  if (store.kind === "damaged") return { kind: store.kind, reason: store.reason, hold };
  const { kind, snapshotId, programs, near, past } = store;
  const served = store.served && { objectKey: store.served.key, sha256: store.served.sha256 };
  const history = historyJson(past, store.served);
  const { generatedAt, contentAt, publishedAt, confirmedAt } = tenant.live ?? {};
  const times = tenant.live && { generatedAt, contentAt, publishedAt, confirmedAt };
  return { kind, snapshotId, programs, served, near, history, ...times, hold };
}

/** Documented in docs/json.md. What is `null` in every case had a meaning in version 0.2. */
export function historyJson(past: ProgramPast | null, served: ServedProgram | null = null): object {
  return {
    first: null,
    last: past !== null && "last" in past ? past.last : null,
    isServed: past === null,
    removedBy: past?.kind === "removed" ? past.by : null,
    rolledBackAt: past?.kind === "rolled_back" ? past.at : null,
    unchangedSince: served?.builtBy ?? null,
    snapshotsExamined: past?.kind === "never" ? past.snapshotsExamined : null,
    oldestExamined: null,
    isCut: past?.kind === "never" ? past.isCut : null,
  };
}
