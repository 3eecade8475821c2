import type { TenantId } from "../../../core/ground/ids.ts";
import { withoutMiddle } from "../../../core/ground/printable.ts";
import type { CheckedProgram } from "../../publish/content/checked-program.ts";
import { minPrograms } from "../../publish/guards/guards.ts";
import { type ProblemCode, problemRules, shownValue } from "../../publish/public-program/problem.ts";
import { contractViews, sourceViews, viewNames } from "../../publish/source/contract.ts";
import type { TenantWithPrograms } from "../../publish/source/find-programs.ts";
import type { ReadProgram } from "../../publish/source/read-programs.ts";
import type { TenantProblem } from "../../publish/source/read-tenants.ts";
import type { Fix, ProblemExample, SourceProblem } from "../../publish/source/source-problem.ts";
import type { CliSettings } from "../../shell/shell.ts";
import { type HintCode, hintRules, hintsOf } from "./hint-rules.ts";

/** Where in the source a problem is: a view, and a column when it is of one. */
export interface ProblemPlace {
  readonly view: string | null;
  readonly column: string | null;
}

/** A finding about a view, or about none. `found`: its column, count and examples, if known. */
export function viewProblem<Code extends string>(
  code: Code,
  severity: SourceProblem["severity"],
  view: string | null,
  message: string,
  fix: Fix | string,
  found: Partial<Pick<SourceProblem, "column" | "count" | "examples">> = {},
): SourceProblem<Code> {
  const way: Fix = typeof fix === "string" ? { kind: "advice", text: fix } : fix;
  const said = withoutMiddle(message);
  return { severity, code, view, column: null, message: said, fix: way, count: null, examples: [], ...found };
}

/** A finding that so many rows at a place break a rule. */
export function rowsProblem<Code extends string>(
  code: Code,
  { severity = "hint", rule, advice }: { severity?: SourceProblem["severity"]; rule: string; advice: string },
  { view, column }: ProblemPlace,
  count: number,
  examples: readonly ProblemExample[],
): SourceProblem<Code> {
  const where = view === null ? "" : ` in partner_source.${view}`;
  const message = `${count} found${where}: ${rule}.`;
  return viewProblem(code, severity, view, message, advice, { column, count, examples });
}

/** A finding for people names so many of the rows that it is about. */
export const maxExamples = 5;
/** A finding for programs has so many distinct values. */
const maxValues = 100;

interface FindingGroup extends ProblemPlace {
  readonly code: ProblemCode | HintCode;
  count: number;
  readonly values: Map<string, ProblemExample & { count?: number }>;
}

/** What is wrong with the data, by rule and place. Memory holds counts and values up to a bound. */
export class FindingGroups {
  readonly #groups = new Map<string, FindingGroup>();
  readonly #isRead: (place: ProblemPlace) => boolean;
  /** What the last program id's rows have wrong. They are one program: each finding counts once. */
  #ofId: { readonly id: string; readonly found: Set<string> } = { id: "", found: new Set() };

  /** `isRead`: whether a place's values are read. Others have an error of their own (D135). */
  constructor(isRead: (place: ProblemPlace) => boolean = () => true) {
    this.#isRead = isRead;
  }

  /** With `count`, the example stands for that many rows of its tenant; without it, for one row. */
  add(
    code: FindingGroup["code"],
    { view, column }: ProblemPlace,
    example: ProblemExample,
    count?: number,
  ): void {
    if (!this.#isRead({ view, column })) return;
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

  /** Adds what a build would find in the list of tenants. */
  addTenant({ code, tenantId, counted, count }: TenantProblem, view: string): void {
    const nameless = tenantId === null ? `${count} row(s)` : tenantId;
    const value = counted === "rows" ? nameless : `${count} program(s)`;
    this.add(code, { view, column: "tenant_id" }, { tenantId, programId: null, value }, count);
  }

  /** Adds what a build would find in a program, each with its place. Programs come in the order of ids. */
  addProgram(tenantId: TenantId, { source, isDuplicate }: ReadProgram, outcome: CheckedProgram): void {
    if (outcome.kind === "unpublished") return;
    const id = JSON.stringify([tenantId, source.programId]);
    if (this.#ofId.id !== id) this.#ofId = { id, found: new Set() };
    for (const problem of outcome.problems) {
      const { code, programId, field, value } = problem;
      const text = JSON.stringify(problem);
      if (isDuplicate && source.programId !== null && this.#ofId.found.has(text)) continue;
      this.#ofId.found.add(text);
      this.add(code, source.oversize ?? problemPlace(field), { tenantId, programId, value });
    }
  }

  /** Adds what of a program is legal and probably wrong. `twin`: the id of a program like it, if any. */
  addHints(tenantId: TenantId, { source }: ReadProgram, today: string, twin?: string | null): void {
    const { programId } = source;
    if (twin !== undefined) {
      this.add(
        "program_twice",
        { view: "programs", column: "name" },
        { tenantId, programId, value: `as ${twin}` },
      );
    }
    for (const [code, view, column, value] of hintsOf(source, today)) {
      this.add(code, { view, column }, { tenantId, programId, value });
    }
  }

  /** In the contract's order of views and columns, viewless ones first, then of rules. Hints come last. */
  get problems(): readonly SourceProblem<FindingGroup["code"]>[] {
    const place = ({ view, column }: ProblemPlace): number => columnOrder.indexOf(`${view}.${column}`);
    const order = (group: FindingGroup): number =>
      group.code in hintRules ? columnOrder.length : place(group);
    const inOrder = [...this.#groups.values()].sort(
      (a, b) => order(a) - order(b) || codes.indexOf(a.code) - codes.indexOf(b.code) || place(a) - place(b),
    );
    return inOrder.map(({ code, count, values, ...at }) => {
      const examples = [...values.values()].sort((a, b) => (b.count ?? 0) - (a.count ?? 0));
      return rowsProblem(code, rules[code], at, count, examples);
    });
  }
}

const rules = { ...problemRules, ...hintRules };
const codes = Object.keys(rules);
const columnOrder = contractViews.flatMap(({ name, columns }) => [
  ...Object.keys(columns).map((column) => `${name}.${column}`),
  `${name}.null`,
]);

/** Adds the advice to share a catalogue, unless it is followed already. */
export function withSharedAdvice(
  problems: readonly SourceProblem[],
  { sharedPrograms }: Pick<CliSettings, "sharedPrograms">,
): readonly SourceProblem[] {
  if (sharedPrograms === "warn") return problems;
  return problems.map((problem) => {
    if (problem.code !== "programs_shared") return problem;
    const text = `${problem.fix.text}: a build refuses such programs; companies that share a catalogue set SHARED_PROGRAMS=warn`;
    return { ...problem, fix: { kind: "advice", text } };
  });
}

/** P144: adds the programs that two tenants have with the same id and name. */
export function addShared(
  groups: FindingGroups,
  sharing: ReadonlyMap<string, readonly TenantWithPrograms[]>,
): void {
  for (const [tenantId, others] of sharing) {
    for (const { tenantId: other, programs } of others) {
      // Both of a pair are in the map. The first one has them.
      if (programs < minPrograms || other > tenantId) continue;
      const value = `${programs} program(s) as ${other} has them`;
      const place = { view: "programs", column: "tenant_id" };
      groups.add("programs_shared", place, { tenantId, programId: null, value }, programs);
    }
  }
}

/** Where a problem's public field came from (`prices.rooms[2]`, or a JSON pointer into the response). */
export function problemPlace(field: string | null): ProblemPlace {
  if (field === null) return nowhere;
  const name = field.startsWith("/") ? pointedField(field) : field.replace(/\[\d+\]/g, "[]");
  return places.get(name) ?? places.get(name.replace(/\[\]$/, "")) ?? nowhere;
}

export const nowhere: ProblemPlace = { view: null, column: null };

const places: ReadonlyMap<string, ProblemPlace> = new Map([
  ...viewNames.flatMap(placesOf),
  ["id", { view: "programs", column: "program_id" }],
  ["capacity.used", { view: "enrollments", column: "role" }],
  // A lead guide too many.
  ["staff[]", { view: "staff", column: "role" }],
]);

function placesOf(view: keyof typeof sourceViews): [string, ProblemPlace][] {
  const { field: element, columns } = sourceViews[view];
  const prefix = element === null ? "" : `${element}[].`;
  const found = columns.flatMap(([column, , field]): [string, ProblemPlace][] =>
    field === null ? [] : [[prefix + field, { view, column }]],
  );
  return element === null ? found : [[`${element}[]`, { view, column: null }], ...found];
}

/** `/data/content/visits/0` is an element of `content.visits`. List elements have no `data` around. */
function pointedField(pointer: string): string {
  const names = pointer.split("/").slice(1);
  if (names[0] === "data" && names.length > 1) names.shift();
  return names
    .map((name) => (/^\d+$/.test(name) ? "[]" : `.${name}`))
    .join("")
    .slice(1);
}
