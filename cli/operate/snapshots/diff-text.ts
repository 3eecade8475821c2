import { printable, shortened } from "../../../core/printable.ts";
import { displayWidth } from "../../output/display-width.ts";
import type { Layout } from "../../output/layout.ts";
import { relativeAndExact } from "../../output/times.ts";
import type { ProgramChange } from "./program-changes.ts";
import type { NamedProgram, SnapshotDiff, SnapshotSide } from "./snapshot-diff.ts";

/** A snapshot's difference to another: removed and added programs, then the changed ones field by field. */
export function diffText(diff: SnapshotDiff, layout: Layout): string {
  const { style } = layout;
  const { added, removed, changed, unchanged } = diff;
  const side = ({ snapshotId, programs, contentAt }: SnapshotSide): string =>
    `${snapshotId}  ${programs} programs, data of ${relativeAndExact(contentAt, layout)}`;
  const title = ({ programId, name }: NamedProgram): string =>
    name === null ? programId : `${programId}  ${style.bold(printable(name))}`;
  const differences = [
    ...removed.map((program) => `${style.bad("-")} ${title(program)}`),
    ...added.map((program) => `${style.good("+")} ${title(program)}`),
    ...changed.flatMap((program) => [
      `${style.doubtful("~")} ${title(program)}`,
      ...(program.changes?.flatMap((change) => changeLines(change, layout)) ?? [
        `    ${style.faint("(not compared; see --limit)")}`,
      ]),
    ]),
  ];
  const counts = `${removed.length} removed, ${added.length} added, ${changed.length} changed, ${unchanged} the same`;
  const isSame = differences.length === 0 && !diff.listChanged && !diff.legacyChanged;
  return [
    `from  ${side(diff.from)}`,
    `to    ${side(diff.to)}`,
    "",
    ...differences,
    ...(differences.length > 0 ? [""] : []),
    isSame ? `No difference: partners get the same bytes from both (${counts}).` : `${counts}.`,
    "",
  ].join("\n");
}

/** One change on one line if it fits, else the old and the new value below each other. */
export function changeLines({ words }: ProgramChange, { style, width }: Layout): string[] {
  const label = printable(words.label);
  const { before, after } = words;
  if (before === null) return [`    ${label}: ${style.good(`+ ${shown(after)}`)}`];
  if (after === null) return [`    ${label}: ${style.bad(`- ${shown(before)}`)}`];
  const [old, young] = [shown(before), shown(after)];
  const short = `    ${label}: ${old} → ${young}`;
  if (displayWidth(short) <= width) return [short];
  return [`    ${label}:`, `      ${style.bad(`- ${old}`)}`, `      ${style.good(`+ ${young}`)}`];
}

export function shown(words: string | null): string {
  return shortened(printable(words ?? "nothing"), maxValueLength);
}

const maxValueLength = 200;
