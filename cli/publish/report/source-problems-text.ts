import { printable } from "../../../core/printable.ts";
import type { Layout } from "../../output/layout.ts";
import { wrapped } from "../../output/wrap.ts";
import { shownId } from "../public-program/shown-id.ts";
import { fixLines, type ProblemExample, type SourceProblem } from "../source/source-problem.ts";

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
  const mark = severity === "error" ? style.bad("error  ") : style.doubtful("warning");
  const head = `  ${mark} ${code}${column === null ? "" : ` (${printable(column)})`}`;
  const isShared = next?.fix.text === fix.text;
  return [
    head,
    ...wrapped(`    ${printable(message)}`, width),
    ...examples.map((example) => style.faint(`      ${exampleText(example)}`)),
    ...(isShared ? [] : fixLines(fix)),
  ];
}

function exampleText({ tenantId, programId, value }: ProblemExample): string {
  const place = [tenantId, programId].map((id) => (id === null ? "NULL" : shownId(id)));
  const where = programId === null ? place[0] : place.join(" / ");
  return `${where}: ${value === null ? "NULL" : printable(value)}`;
}
