import { printable, singleLine } from "../../../core/printable.ts";
import { changeLines } from "../../operate/snapshots/diff-text.ts";
import type { ProgramChange } from "../../operate/snapshots/program-changes.ts";
import type { ProgramPast } from "../../operate/snapshots/program-past.ts";
import type { Layout } from "../../output/layout.ts";
import { type Labelled, labelledLines, wrapped } from "../../output/wrap.ts";
import type { Explanation } from "../explain.ts";
import type { ProgramInSource } from "../facts/program-in-source.ts";
import type { ServedProgram } from "../facts/program-in-store.ts";
import { verdictTone } from "../judgement/standing.ts";
import { type Judgement, type NextStep, stepText } from "../judgement/step.ts";
import { describedProgram } from "./described-program.ts";
import { lastRunJson } from "./described-tenant.ts";
import { labelledRows } from "./description.ts";

/** What partners see of a program and why, with the differences to what the booking system has. */
export function explanationText(explanation: Explanation, layout: Layout): string {
  const { tenantId, programId, verdict, changes } = explanation;
  const rows: Labelled[] = [
    ...labelledRows(describedProgram(explanation), layout),
    ...(changes === null ? [] : [["compared", ...pendingLines(changes, layout)] satisfies Labelled]),
  ];
  const title = `Program ${printable(programId)} of tenant ${tenantId}`;
  return answerText({ ...explanation, title, tone: verdictTone(verdict), rows }, layout);
}

/** The answer to a question of support: the answer first, then the facts that lead to it, and the next steps last. */
export function answerText(
  answer: Judgement & {
    readonly title: string;
    readonly tone: "good" | "doubtful" | "bad";
    readonly rows: readonly Labelled[];
  },
  layout: Layout,
): string {
  const { style, width } = layout;
  return [
    `${style.bold(answer.title)}\n`,
    `${wrapped(style[answer.tone](printable(answer.summary)), width).join("\n")}\n\n`,
    labelledLines(answer.rows, width),
    `\n${nextStepText(answer.next, layout)}`,
  ].join("");
}

/** The next steps and who does them. Each command stands on a line of its own, ready to be copied. */
function nextStepText({ steps }: NextStep, { style, width }: Layout): string {
  return steps
    .flatMap((step, at) => {
      const mark = at === 0 ? `${style.bold("Next:")} ` : "      ";
      const lines = wrapped(`${mark}${printable(stepText(step))}`, width, at === 0 ? 6 : 0);
      return [...lines, ...step.commands.map((command) => `  partner-programs ${singleLine(command)}`)];
    })
    .map((line) => `${line}\n`)
    .join("");
}

function pendingLines(changes: readonly ProgramChange[], layout: Layout): string[] {
  const { style } = layout;
  const count = changes.length;
  if (count === 0) return [style.good("what partners see is what the booking system has")];
  return [
    style.doubtful(
      `${count} value${count === 1 ? " differs" : "s differ"} (partners see → booking system has)`,
    ),
    ...changes.flatMap((change) => changeLines(change, { ...layout, width: layout.width - factIndent })),
  ];
}

/** The column in which the texts of the facts begin. */
const factIndent = 18;

/** The object that `snapshot explain --json` prints; documented in docs/json.md. */
export function explanationJson(explanation: Explanation, now: Date): object {
  const { tenantId, programId, answer, verdict, row, summary } = explanation;
  const { source, tenant, changes, garbled, next } = explanation;
  const { lastRun } = tenant;
  return {
    at: now.toISOString(),
    tenantId,
    renamedFrom: null,
    programId,
    answer,
    verdict,
    row,
    summary,
    source: source.kind === "publishable" ? sourceJson(source) : source,
    live: liveJson(explanation),
    pendingChanges: changes,
    garbled,
    lastRun: lastRun && { ...lastRunJson(lastRun), problems: null },
    next,
  };
}

function sourceJson({ kind, dropped, statuses }: Extract<ProgramInSource, { kind: "publishable" }>): object {
  return { kind, dropped, statuses: statuses ?? null };
}

function liveJson({ store, tenant }: Explanation): object {
  const hold = tenant.hold && { reason: tenant.hold.reason, since: tenant.hold.since };
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
