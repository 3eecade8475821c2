import { printable, shortened } from "../../core/printable.ts";
import type { JsonChange } from "../snapshot/json-changes.ts";
import type { NamedProgram, SnapshotDiff } from "../snapshot/snapshot-diff.ts";
import type { Layout } from "./layout.ts";
import { relativeAndExact } from "./relative-time.ts";
import type { Style } from "./style.ts";

/** A snapshot's difference to another: removed and added programs, then the changed ones field by field. */
export function diffText(diff: SnapshotDiff, layout: Layout): string {
  const { style, now } = layout;
  const { from, to, added, removed, changed, unchanged } = diff;
  const lines = [
    `from  ${from.snapshotId}  ${from.programs} programs, data of ${relativeAndExact(from.generatedAt, now)}`,
    `to    ${to.snapshotId}  ${to.programs} programs, data of ${relativeAndExact(to.generatedAt, now)}`,
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
export function changeLines(change: JsonChange, { style, width }: Layout): string[] {
  const path = printable(change.path);
  if (change.kind === "added") return [`    ${path}: ${style.good(`+ ${shown(change.after)}`)}`];
  if (change.kind === "removed") return [`    ${path}: ${style.bad(`- ${shown(change.before)}`)}`];
  const [before, after] = [shown(change.before), shown(change.after)];
  if (path.length + before.length + after.length + 10 <= width) return [`    ${path}: ${before} → ${after}`];
  return [`    ${path}:`, `      ${style.bad(`- ${before}`)}`, `      ${style.good(`+ ${after}`)}`];
}

/** A value on one line. */
export function shown(value: unknown): string {
  return shortened(printable(JSON.stringify(value) ?? "nothing"), maxValueLength);
}

const maxValueLength = 200;

function title({ programId, name }: NamedProgram, style: Style): string {
  return name === null ? programId : `${programId}  ${style.bold(printable(name))}`;
}

function isSame({ added, removed, changed, listChanged, legacyChanged }: SnapshotDiff): boolean {
  return added.length + removed.length + changed.length === 0 && !listChanged && !legacyChanged;
}
