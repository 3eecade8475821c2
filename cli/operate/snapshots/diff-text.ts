import { printable, shortened } from "../../../core/printable.ts";
import { displayWidth } from "../../output/display-width.ts";
import type { Layout } from "../../output/layout.ts";
import type { Style } from "../../output/style.ts";
import { relativeAndExact } from "../../output/times.ts";
import type { ProgramChange } from "./program-changes.ts";
import type { NamedProgram, SnapshotDiff } from "./snapshot-diff.ts";

/** A snapshot's difference to another: removed and added programs, then the changed ones field by field. */
export function diffText(diff: SnapshotDiff, layout: Layout): string {
  const { style } = layout;
  const { from, to, added, removed, changed, unchanged } = diff;
  const lines = [
    `from  ${from.snapshotId}  ${from.programs} programs, data of ${relativeAndExact(from.contentAt, layout)}`,
    `to    ${to.snapshotId}  ${to.programs} programs, data of ${relativeAndExact(to.contentAt, layout)}`,
    "",
    ...removed.map((program) => `${style.bad("-")} ${title(program, style)}`),
    ...added.map((program) => `${style.good("+")} ${title(program, style)}`),
    ...changed.flatMap((program) => [
      `${style.doubtful("~")} ${title(program, style)}`,
      ...(program.changes ?? []).flatMap((change) => changeLines(change, layout)),
      ...(program.changes === null ? [`    ${style.faint("(not compared; see --limit)")}`] : []),
    ]),
  ];
  if (added.length + removed.length + changed.length > 0) lines.push("");
  const counts = `${removed.length} removed, ${added.length} added, ${changed.length} changed, ${unchanged} the same`;
  lines.push(
    isSame(diff) ? `No difference: partners get the same bytes from both (${counts}).` : `${counts}.`,
  );
  return `${lines.join("\n")}\n`;
}

/** One change on one line if it fits, else the old and the new value below each other. */
export function changeLines({ words }: ProgramChange, { style, width }: Layout): string[] {
  const label = printable(words.label);
  const { before, after } = words;
  if (before === null) return [`    ${label}: ${style.good(`+ ${shown(after)}`)}`];
  if (after === null) return [`    ${label}: ${style.bad(`- ${shown(before)}`)}`];
  const [old, young] = [shown(before), shown(after)];
  const short = `    ${label}: ${withoutSharedUnit(old, young)} → ${young}`;
  if (displayWidth(short) <= width) return [short];
  return [`    ${label}:`, `      ${style.bad(`- ${old}`)}`, `      ${style.good(`+ ${young}`)}`];
}

export function shown(words: string | null): string {
  return shortened(printable(words ?? "nothing"), maxValueLength);
}

/** Drops the currency of the first amount when both have the same. */
function withoutSharedUnit(before: string, after: string): string {
  const [, amount = before, unit] = /^(-?[\d.,]+) ([A-Za-z]{3})$/.exec(before) ?? [];
  return unit !== undefined && after.endsWith(` ${unit}`) && /^-?\d/.test(after) ? amount : before;
}

const maxValueLength = 200;

function title({ programId, name }: NamedProgram, style: Style): string {
  return name === null ? programId : `${programId}  ${style.bold(printable(name))}`;
}

function isSame({ added, removed, changed, listChanged, legacyChanged }: SnapshotDiff): boolean {
  return added.length + removed.length + changed.length === 0 && !listChanged && !legacyChanged;
}
