import { printable, singleLine } from "../../core/printable.ts";
import type { Problem } from "../../schemas/generated/types.ts";
import { changeLines } from "../operate/snapshots/diff-text.ts";
import type { ProgramChange } from "../operate/snapshots/program-changes.ts";
import type { ProgramHistory, SnapshotMoment } from "../operate/snapshots/program-history.ts";
import { type Fact, facts } from "../output/facts.ts";
import type { Layout } from "../output/layout.ts";
import { relativeAndExact } from "../output/relative-time.ts";
import type { Style } from "../output/style.ts";
import { wrapped } from "../output/wrap.ts";
import { fieldLabel } from "../publish/public-program/field-words.ts";
import type { Explanation } from "./explain/explain-program.ts";
import type { GarbledText } from "./explain/garbled-texts.ts";
import type { ProgramInSource } from "./explain/program-in-source.ts";
import type { ProgramInStore } from "./explain/program-in-store.ts";
import { type NextStep, stepText } from "./next-step.ts";
import { problemWords } from "./problem-words.ts";
import { verdictTone } from "./standing/verdict-tone.ts";
import { confirmedText, holdText, lastRunFact } from "./status-text.ts";

/** The answer first, then the chain that leads to it, last what to do. */
export function explanationText(explanation: Explanation, layout: Layout): string {
  const { tenantId, programId, summary, verdict, source, store, changes, lastRun } = explanation;
  const { style, width } = layout;
  const rows: Fact[] = [
    ["booking system", ...sourceLines(source, style)],
    ...storeFacts(store, layout),
    lastRunFact(lastRun, layout),
    ...unsaidProblems(explanation).map((problem): Fact => ["", `it said: ${problemText(problem)}`]),
    ...garbledFacts(explanation.garbled, style),
    ...(changes === null ? [] : [["compared", ...pendingLines(changes, layout)] satisfies Fact]),
  ];
  return [
    `${style.bold(`Program ${printable(programId)} of tenant ${tenantId}`)}\n`,
    `${wrapped(style[verdictTone(verdict)](printable(summary)), width).join("\n")}\n\n`,
    facts(rows, width),
    `\n${nextStepText(explanation.next, layout)}`,
  ].join("");
}

/** What to do next and by whom, each command on a line of its own, ready to be copied. */
export function nextStepText({ steps }: NextStep, { style, width }: Layout): string {
  return steps
    .flatMap((step, at) => {
      const mark = at === 0 ? `${style.bold("Next:")} ` : "      ";
      const lines = wrapped(`${mark}${printable(stepText(step))}`, width, at === 0 ? 6 : 0);
      return [...lines, ...step.commands.map((command) => `  partner-programs ${singleLine(command)}`)];
    })
    .map((line) => `${line}\n`)
    .join("");
}

/** A finding in words, and for whoever mends it the rule's code and the field. */
export function problemText(problem: Problem): string {
  const place = problem.field === null ? "" : `, ${problem.field}`;
  return printable(`${problemWords(problem)} (${problem.code}${place})`);
}

/** In which snapshots the program was, in words. */
export function historyLines(history: ProgramHistory, { now }: Pick<Layout, "now">): string[] {
  const { first, last, isServed, removedBy, rolledBackAt, unchangedSince } = history;
  const { snapshotsExamined, oldestExamined, isCut } = history;
  const shown = ({ snapshotId, generatedAt }: SnapshotMoment): string =>
    `${snapshotId}, ${relativeAndExact(generatedAt, now)}`;
  if (first === null || last === null) {
    const bound = isCut && oldestExamined !== null ? `, back to ${shown(oldestExamined)}` : "";
    return [`never, in the ${snapshotsExamined} snapshot(s) that are kept${bound}`];
  }
  const removal =
    removedBy !== null
      ? `taken out by ${shown(removedBy)}`
      : rolledBackAt !== null
        ? `taken out by a rollback, ${relativeAndExact(rolledBackAt, now)}`
        : "what took it out is not known: nothing of that can be read any more";
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

/** What the booking system says of the program. */
export function sourceLines(source: ProgramInSource, style: Style): string[] {
  switch (source.kind) {
    case "unavailable":
      return [style.doubtful("could not be asked"), printable(source.reason)];
    case "tenant_unknown":
      return [style.bad("does not list the tenant")];
    case "absent":
      return [
        style.bad("has no program of this id for this tenant"),
        ...source.elsewhere.map((found) =>
          printable(`but has ${JSON.stringify(found.programId)} under tenant ${found.tenantId}`),
        ),
      ];
    case "not_publishable":
      return [
        `has it, as ${style.doubtful(`"${printable(source.state)}"`)}`,
        "only active programs are published",
      ];
    case "invalid":
      return [style.bad("has it, but it cannot be published"), ...source.problems.map(problemText)];
    case "publishable":
      return [
        style.good("has it, active and fit to be published"),
        ...source.dropped.map((problem) => `${style.doubtful("not published:")} ${problemText(problem)}`),
      ];
  }
}

function unpublishedWords({ store, isStore }: Extract<ProgramInStore, { kind: "unpublished" }>): string {
  if (!isStore) return `there is no store in ${printable(store)}`;
  return `nothing is published for this tenant in ${printable(store)}`;
}

function storeFacts(store: ProgramInStore, layout: Layout): Fact[] {
  const { now, style } = layout;
  switch (store.kind) {
    case "unpublished":
      return [["live", style.bad(unpublishedWords(store))]];
    case "damaged":
      return [
        ["live", style.bad("damaged"), printable(store.reason)],
        ["hold", holdText(store.hold, layout)],
      ];
    case "live": {
      const has = store.served === null ? style.bad("without this program") : style.good("with this program");
      return [
        [
          "live",
          `${store.snapshotId}, ${store.programs} ${store.programs === 1 ? "program" : "programs"}, ${has}`,
        ],
        ["data of", relativeAndExact(store.generatedAt, now)],
        ["published", relativeAndExact(store.publishedAt, now)],
        ["confirmed", confirmedText(store.confirmedAt, layout)],
        ["served", ...historyLines(store.history, layout)],
        ["hold", holdText(store.hold, layout)],
      ];
    }
  }
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

/** A hint in words: nothing repairs the text, since the booking system says what is published. */
export function garbledText({ field, stored, meant }: GarbledText): string {
  return printable(
    `${fieldLabel(field)} looks garbled: "${stored}" was probably "${meant}", and was encoded twice on its way into the booking system`,
  );
}

function garbledFacts(garbled: readonly GarbledText[], style: Style): Fact[] {
  if (garbled.length === 0) return [];
  return [["texts", ...garbled.map((text) => style.doubtful(garbledText(text)))]];
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
const factIndent = 18;
