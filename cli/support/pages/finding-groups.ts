import type { Problem } from "../../../schemas/generated/types.ts";

/** Findings of one kind at one field, in however many programs. */
export interface FindingGroup extends Pick<Problem, "severity" | "code" | "message"> {
  /** `airlines[]` for every index. */
  readonly field: string | null;
  readonly count: number;
  /** Most frequent first. */
  readonly values: readonly { readonly value: string; readonly count: number }[];
  /** Each once, in the order of the findings. */
  readonly programIds: readonly string[];
}

/** One bad logo of an airline is a finding in every program that flies with it: errors first, then what is most frequent. Pure. */
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
