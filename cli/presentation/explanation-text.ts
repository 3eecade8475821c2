import { printable, singleLine } from "../../core/printable.ts";
import type { Problem } from "../../schemas/generated/types.ts";
import type { JsonChange } from "../snapshot/json-changes.ts";
import type { ProgramHistory, SnapshotMoment } from "../snapshot/program-history.ts";
import type { Verdict } from "../support/explain/conclusion.ts";
import type { Explanation } from "../support/explain/explain-program.ts";
import type { NextStep } from "../support/explain/next-step.ts";
import type { ProgramInSource } from "../support/explain/program-in-source.ts";
import type { ProgramInStore } from "../support/explain/program-in-store.ts";
import { changeLines } from "./diff-text.ts";
import { type Fact, facts } from "./facts.ts";
import type { Layout } from "./layout.ts";
import { relativeAndExact } from "./relative-time.ts";
import { confirmedText, holdText, lastRunFact } from "./status-text.ts";
import type { Style } from "./style.ts";
import { wrapped } from "./wrap.ts";

/** The answer first, then the chain that leads to it, last what to do. */
export function explanationText(explanation: Explanation, layout: Layout): string {
  const { tenantId, programId, summary, verdict, source, store, changes, lastRun } = explanation;
  const { style, width } = layout;
  const rows: Fact[] = [
    ["source", ...sourceLines(source, style)],
    ...storeFacts(store, layout),
    lastRunFact(lastRun, layout),
    ...unsaidProblems(explanation).map((problem): Fact => ["", `it said: ${problemText(problem)}`]),
    ...(changes === null ? [] : [["up to date", ...pendingLines(changes, layout)] satisfies Fact]),
  ];
  return [
    `${style.bold(`Program ${printable(programId)} of tenant ${tenantId}`)}\n`,
    `${wrapped(tone(verdict, style)(printable(summary)), width).join("\n")}\n\n`,
    facts(rows, width),
    `\n${nextStepText(explanation.next, layout)}`,
  ].join("");
}

/** What to do next, each command on a line of its own, ready to be copied. */
export function nextStepText({ text, commands }: NextStep, { style, width }: Layout): string {
  const lines = wrapped(`${style.bold("Next:")} ${printable(text)}`, width);
  return [...lines, ...commands.map((command) => `  partner-programs ${singleLine(command)}`)]
    .map((line) => `${line}\n`)
    .join("");
}

/** A finding with the rule that decided it. */
export function problemText({ field, value, message, code }: Problem): string {
  // A blank value would show as nothing at all.
  const shown = value?.trim() === "" ? JSON.stringify(value) : value;
  const place = field === null ? "" : `${field}${shown === null ? "" : ` = ${shown}`}: `;
  return printable(`${place}${message} (${code})`);
}

/** In which snapshots the program was, in words. */
export function historyLines(history: ProgramHistory, { now }: Pick<Layout, "now">): string[] {
  const { first, last, isServed, removedBy, unchangedSince, snapshotsExamined, oldestExamined, isCut } =
    history;
  const shown = ({ snapshotId, generatedAt }: SnapshotMoment): string =>
    `${snapshotId}, ${relativeAndExact(generatedAt, now)}`;
  if (first === null || last === null) {
    const bound = isCut && oldestExamined !== null ? `, back to ${shown(oldestExamined)}` : "";
    return [`never, in the ${snapshotsExamined} snapshot(s) that are kept${bound}`];
  }
  // Without a later snapshot only the return to an earlier one can have taken it out.
  const removal = removedBy === null ? "taken out by a rollback" : `taken out by ${shown(removedBy)}`;
  const isOldest = isCut && first.snapshotId === oldestExamined?.snapshotId;
  const isOnly = first.snapshotId === last.snapshotId && !isServed;
  return [
    isOldest
      ? `since ${shown(first)} or earlier: older ones are not kept`
      : `${isOnly ? "only" : "first"} in ${shown(first)}`,
    ...(isServed || isOnly ? [] : [`last in ${shown(last)}`]),
    ...(isServed ? [] : [removal]),
    ...(isOnly ? [] : [`content as built by ${unchangedSince ?? last.snapshotId}`]),
  ];
}

function sourceLines(source: ProgramInSource, style: Style): string[] {
  switch (source.kind) {
    case "unavailable":
      return [style.doubtful("could not be asked"), printable(source.reason)];
    case "tenant_unknown":
      return [style.bad("does not list the tenant")];
    case "absent":
      return [
        style.bad("no program of this id for this tenant"),
        ...source.elsewhere.map((found) =>
          printable(`but tenant ${found.tenantId} has ${JSON.stringify(found.programId)}`),
        ),
      ];
    case "not_publishable":
      return [
        `found, lifecycle state ${style.doubtful(`"${printable(source.state)}"`)}`,
        "only active programs are published",
      ];
    case "invalid":
      return [style.bad("found, and invalid"), ...source.problems.map(problemText)];
    case "publishable":
      return [
        style.good("found, active, valid"),
        ...source.dropped.map((problem) => `${style.doubtful("dropped")} ${problemText(problem)}`),
      ];
  }
}

function storeFacts(store: ProgramInStore, layout: Layout): Fact[] {
  const { now, style } = layout;
  switch (store.kind) {
    case "unpublished":
      return [["live", style.bad("nothing was ever published for this tenant")]];
    case "damaged":
      return [["live", style.bad("damaged"), printable(store.reason)]];
    case "live": {
      const has = store.served === null ? style.bad("without this program") : style.good("with this program");
      return [
        ["live", `${store.snapshotId}, ${store.programs} programs, ${has}`],
        ["data of", relativeAndExact(store.generatedAt, now)],
        ["published", relativeAndExact(store.publishedAt, now)],
        ["confirmed", confirmedText(store.confirmedAt, layout)],
        ["served", ...historyLines(store.history, layout)],
        ["hold", holdText(store.hold, layout)],
      ];
    }
  }
}

function pendingLines(changes: readonly JsonChange[], layout: Layout): string[] {
  const { style } = layout;
  const count = changes.length;
  if (count === 0) return [style.good("yes: a build now would not change it")];
  return [
    style.doubtful(`no: a build now would change ${count} value${count === 1 ? "" : "s"}`),
    ...changes.flatMap((change) => changeLines(change, { ...layout, width: layout.width - factIndent })),
  ];
}

/** What the last run found and the source does not show by itself any more. */
export function unsaidProblems({ lastRunProblems, source }: Explanation): readonly Problem[] {
  const said =
    source.kind === "invalid" ? source.problems : source.kind === "publishable" ? source.dropped : [];
  return lastRunProblems.filter(
    ({ code, field }) => !said.some((problem) => problem.code === code && problem.field === field),
  );
}

/** The column in which the texts of the facts begin. */
const factIndent = 14;

function tone(verdict: Verdict, style: Style): (text: string) => string {
  if (verdict === "served") return style.good;
  return verdict.startsWith("served") || verdict === "waiting" ? style.doubtful : style.bad;
}
