import { printable } from "../../../core/ground/printable.ts";
import { type Layout, wrapped } from "../../output/layout.ts";
import { counted, numberText } from "../../output/words.ts";
import { shownId } from "../../publish/public-program/problem.ts";
import { fixLines, type ProblemExample, type SourceProblem } from "../../publish/source/source-problem.ts";

/** The problems for people, grouped by view, each with its fix; a fix that several share is shown once. */
export function problemReport(problems: readonly SourceProblem[], layout: Layout): string {
  const views = [...new Set(problems.map(({ view }) => view))];
  return views
    .map((view) => {
      const own = problems.filter((problem) => problem.view === view);
      const title = layout.style.bold(`partner_source${view === null ? "" : `.${view}`}`);
      return [title, ...own.flatMap((problem, at) => problemLines(problem, own[at + 1], layout))];
    })
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function problemLines(
  problem: SourceProblem,
  next: SourceProblem | undefined,
  { width, style }: Layout,
): readonly string[] {
  const { severity, code, column, message, fix, examples } = problem;
  const mark = { error: style.bad("error  "), warning: style.doubtful("warning"), hint: "hint   " }[severity];
  const head = `  ${mark} ${code}${column === null ? "" : ` (${printable(column)})`}`;
  const more = examples.length - maxShown;
  const isShared = next?.fix.text === fix.text;
  return [
    head,
    ...wrapped(`    ${printable(message)}`, width),
    ...examples.slice(0, maxShown).map((example) => style.faint(`      ${exampleText(example)}`)),
    ...(more > 0 ? [style.faint(`      and ${counted(more, "other value")} (see --json)`)] : []),
    ...(isShared ? [] : fixLines(fix)),
  ];
}

/** So many values are shown; `--json` has more. */
const maxShown = 5;

/** A value with its count and first program, `inactive (8): acme / P1, ...`, or a tenant's words. */
function exampleText({ tenantId, programId, value, count }: ProblemExample): string {
  const shown = value === null ? "NULL" : printable(value);
  const place = [tenantId, programId].map((id) => (id === null ? "NULL" : shownId(id)));
  const where = programId === null ? place[0] : place.join(" / ");
  if (count === undefined) return `${where}: ${shown}`;
  if (tenantId === null && programId === null) return `${shown} (${numberText(count)})`;
  if (value !== null && value === programId && count === 1) return where ?? shown;
  return `${shown} (${numberText(count)}): ${where}${count > 1 ? ", ..." : ""}`;
}
