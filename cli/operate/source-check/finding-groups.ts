import type { TenantId } from "../../../core/ids.ts";
import { minShared } from "../../publish/guards/shared-guard.ts";
import { type ProblemCode, problemRules, shownValue } from "../../publish/public-program/problem.ts";
import { contractViews } from "../../publish/source/contract.ts";
import type { ProblemExample, SourceProblem } from "../../publish/source/source-problem.ts";
import type { CliSettings } from "../../shell/shell.ts";
import type { ProblemPlace } from "./problem-place.ts";
import { advice, maxExamples, maxValues, viewProblem } from "./view-problem.ts";

/** What is wrong with the data, grouped by rule and place. In memory are counts and distinct values up to a bound. */
export class FindingGroups {
  readonly #groups = new Map<string, FindingGroup>();

  /** With `count` the example stands for that many rows of its tenant; without it, for one row, and rows of one value are one. */
  add(code: ProblemCode, { view, column }: ProblemPlace, example: ProblemExample, count?: number): void {
    const key = JSON.stringify([code, view, column]);
    const group = this.#groups.get(key) ?? { code, view, column, count: 0, values: new Map() };
    this.#groups.set(key, group);
    group.count += count ?? 1;
    const { tenantId, programId } = example;
    const value = shownValue(example.value);
    const valueKey = JSON.stringify(count === undefined ? value : [tenantId, programId, value]);
    const known = group.values.get(valueKey);
    if (known?.count !== undefined) known.count += 1;
    if (known !== undefined || group.values.size >= (count === undefined ? maxValues : maxExamples)) return;
    const found = { tenantId, programId, value };
    group.values.set(valueKey, count === undefined ? { ...found, count: 1 } : found);
  }

  /** In the contract's order of views and columns, then in that of the rules. */
  get problems(): readonly SourceProblem<ProblemCode>[] {
    const inOrder = [...this.#groups.values()].sort(
      (a, b) => placeOrder(a) - placeOrder(b) || codes.indexOf(a.code) - codes.indexOf(b.code),
    );
    return inOrder.map(findingOf);
  }
}

const codes = Object.keys(problemRules);
const columnOrder = contractViews.flatMap(({ name, columns }) => [
  ...Object.keys(columns).map((column) => `${name}.${column}`),
  `${name}.null`,
]);

interface FindingGroup extends ProblemPlace {
  readonly code: ProblemCode;
  count: number;
  readonly values: Map<string, ProblemExample & { count?: number }>;
}

/** What is of no view comes first. */
function placeOrder({ view, column }: ProblemPlace): number {
  return columnOrder.indexOf(`${view}.${column}`);
}

function findingOf({ code, view, column, count, values }: FindingGroup): SourceProblem<ProblemCode> {
  const { severity, rule, advice: text } = problemRules[code];
  const where = view === null ? "" : ` in partner_source.${view}`;
  const message = `${count} found${where}: ${rule}.`;
  const examples = [...values.values()].sort((a, b) => (b.count ?? 0) - (a.count ?? 0));
  return { ...viewProblem(code, severity, view, message, advice(text)), column, count, examples };
}

/** Adds the advice to share a catalogue, unless it is followed already. */
export function withSharedAdvice(
  problems: readonly SourceProblem[],
  { sharedPrograms }: Pick<CliSettings, "sharedPrograms">,
): readonly SourceProblem[] {
  if (sharedPrograms === "warn") return problems;
  const more = "; companies that share a catalogue set SHARED_PROGRAMS=warn";
  return problems.map((problem) =>
    problem.code === "programs_shared" ? { ...problem, fix: advice(problem.fix.text + more) } : problem,
  );
}

/** Programs that are remembered; later ones are still held against those. */
const maxRemembered = 1_000_000;

/** P149: counts the programs that two tenants have with the same id and content. */
export class SharedTally {
  /** By the first 48 bits of the digest of its detail, which contains the id: whose program it is. */
  readonly #owners = new Map<number, TenantId>();
  readonly #pairs = new Map<string, { readonly owner: TenantId; readonly other: TenantId; count: number }>();

  add(tenantId: TenantId, detailSha256: string): void {
    const key = Number.parseInt(detailSha256.slice(0, 12), 16);
    const owner = this.#owners.get(key);
    if (owner === undefined) {
      if (this.#owners.size < maxRemembered) this.#owners.set(key, tenantId);
    } else if (owner !== tenantId) {
      const pair = JSON.stringify([owner, tenantId]);
      const known = this.#pairs.get(pair) ?? { owner, other: tenantId, count: 0 };
      known.count += 1;
      this.#pairs.set(pair, known);
    }
  }

  report(groups: FindingGroups): void {
    for (const { owner, other, count } of this.#pairs.values()) {
      if (count < minShared) continue;
      const example = { tenantId: other, programId: null, value: `${count} program(s) as ${owner} has them` };
      groups.add("programs_shared", { view: "programs", column: "tenant_id" }, example, count);
    }
  }
}
