import type { Problem } from "../../../schemas/generated/types.ts";
import { counted, numberText } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { LastRun } from "../facts/runs.ts";
import { programPath } from "./addresses.ts";
import { badge, section } from "./parts.ts";

/** The report itself has all groups. */
const maxShownGroups = 50;
const maxShownValues = 5;
const maxShownPrograms = 10;

/** The findings of the last run in a tenant's data. Repeated findings are grouped. `false` when there are none. */
export function findingsSection(tenantId: string, { tenantRun }: LastRun): Html | false {
  const problems = tenantRun?.problems ?? [];
  if (tenantRun === null || problems.length === 0) return false;
  const groups = groupedFindings(problems);
  const shown = groups.slice(0, maxShownGroups);
  const rest = groups
    .slice(maxShownGroups)
    .reduce((sum, { count }) => sum + count, tenantRun.problemsOmitted);
  return section(
    "findings",
    "What the last run found in the data",
    html`<ul class="plain findings">${shown.map((group) => finding(tenantId, group))}</ul>
${rest > 0 && html`<p>… and ${numberText(rest)} more, in the run’s report.</p>`}`,
  );
}

function finding(
  tenantId: string,
  { severity, field, values, message, code, count, programIds }: FindingGroup,
): Html {
  const texts = values
    .slice(0, maxShownValues)
    .map(({ value }, at) => html`${at > 0 && ", "}<q><bdi>${value}</bdi></q>`);
  const moreValues = values.length - texts.length;
  const links = programIds
    .slice(0, maxShownPrograms)
    .map((id, at) => html`${at > 0 && ", "}<a href="${programPath(tenantId, id)}"><bdi>${id}</bdi></a>`);
  const more = programIds.length - links.length;
  return html`<li>${badge(severity, severity === "error" ? "bad" : "doubtful")}
${count > 1 && html`<strong>${count} times</strong>`}
${field !== null && html`<code>${field}</code>`}${texts.length > 0 && html` = ${texts}`}${moreValues > 0 && `, and ${moreValues} other values`}
<span class="line rule">${message} <code>${code}</code></span>
<span class="line">${links}${more > 0 && ` and ${counted(more, "more program")}`}</span></li>`;
}

/** The findings of one kind at one field, in all programs. */
export interface FindingGroup extends Pick<Problem, "severity" | "code" | "message"> {
  /** `airlines[]` for every index. */
  readonly field: string | null;
  readonly count: number;
  /** Most frequent first. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** Each program once, in the order of the findings. */
  readonly programIds: readonly string[];
}

/**
 * Groups findings, since one bad logo of an airline is a finding in every program with that airline. Errors come first, then the
 * most frequent groups. Pure.
 */
export function groupedFindings(problems: readonly Problem[]): readonly FindingGroup[] {
  const byKind = new Map<string, Problem[]>();
  for (const problem of problems) {
    const kind = JSON.stringify([problem.severity, problem.code, fieldOf(problem), problem.message]);
    const group = byKind.get(kind);
    if (group === undefined) byKind.set(kind, [problem]);
    else group.push(problem);
  }
  const groups = [...byKind.values()].flatMap(grouped);
  const rank = ({ severity }: FindingGroup): number => (severity === "error" ? 0 : 1);
  return groups.sort((a, b) => rank(a) - rank(b) || b.count - a.count);
}

function grouped(problems: readonly Problem[]): readonly FindingGroup[] {
  const [first] = problems;
  if (first === undefined) return [];
  const counts = new Map<string, number>();
  for (const { value } of problems) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  const values = [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
  const programIds = [...new Set(problems.flatMap(({ programId }) => programId ?? []))];
  const { severity, code, message } = first;
  return [{ severity, code, message, field: fieldOf(first), count: problems.length, values, programIds }];
}

function fieldOf({ field }: Problem): string | null {
  return field?.replace(/\[\d+\]/g, "[]") ?? null;
}
