import { printable, printableLines } from "../../../core/ground/printable.ts";
import type { Problem, RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { numbers, table } from "../../output/layout.ts";
import { counted } from "../../output/words.ts";
import { shownId } from "../public-program/problem.ts";

/** What a run did, for people: its tenants, their data's problems, a summary. `places`: see `runPlaces`. */
export function runSummary(report: RunReport, places: string): string {
  const { tenants, options } = report;
  const parts = [
    tenants.length === 0 ? "" : tenantTable(tenants),
    findingLines(report),
    ...tenants.map(plannedChanges),
    ...tenants.flatMap((run) => [leftOutLine(run), options.dryRun ? "" : withdrawnLine(run)]),
    ...failureLines(report),
    `${places}:\n${lastLine(report)}\n`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function tenantTable(runs: readonly TenantRun[]): string {
  const counted = ["PROGRAMS", "ADDED", "CHANGED", "REMOVED"].map(numbers);
  return table(
    ["TENANT", "OUTCOME", ...counted, "SNAPSHOT"],
    runs.map(({ tenantId, outcome, counts: { programs, added, changed, removed }, snapshotId }) => [
      ...[tenantId, outcome],
      ...[programs, added, changed, removed].map(String),
      snapshotId ?? "-",
    ]),
  );
}

/** What concerns whole tenants comes first: a leak between two must not be lost among dropped values. */
const weightiest: readonly string[] = [
  ...["mostly_withdrawn", "programs_shared", "shared_unknown", "snapshot_empty", "tenant_vanished"],
  ...["fields_emptied", "mostly_changed", "capacity_changed"],
];

/** P225: a line for each field that changes in most programs. */
function kindOf({ code, field }: Problem): string {
  return code === "mostly_changed" ? `${code} ${field}` : code;
}

/** Findings of one kind, in all tenants. */
interface FindingKind {
  readonly problem: Problem;
  count: number;
  /** Where the first ones are; the report has them all (up to its own bound). */
  readonly places: string[];
}

const maxShownPlaces = 3;

/** A line for each kind of finding: the weightiest, then errors, then warnings, the more frequent first. */
function findingLines({ tenants, problems, problemCounts = {} }: RunReport): string {
  const kinds = new Map<string, FindingKind>();
  const add = (problem: Problem, tenantId: string | null): void => {
    const key = kindOf(problem);
    const kind = kinds.get(key) ?? { problem, count: 0, places: [] };
    kinds.set(key, kind);
    kind.count += 1;
    if (kind.places.length < maxShownPlaces) kind.places.push(findingPlace(problem, tenantId));
  };
  const ownFindings = { tenantId: null, problems, problemCounts };
  for (const { tenantId, problems: found, problemCounts } of [...tenants, ownFindings]) {
    for (const problem of found) add(problem, tenantId);
    // Those beyond a report's bound are only counted.
    for (const [code, count] of Object.entries(problemCounts)) {
      const kind = kinds.get(code);
      if (kind !== undefined) kind.count += count - found.filter((problem) => problem.code === code).length;
    }
  }
  if (kinds.size === 0) return "";
  const weight = ({ problem: { code, severity } }: FindingKind): number =>
    weightiest.includes(code) ? weightiest.indexOf(code) - weightiest.length : severity === "error" ? 0 : 1;
  const inOrder = [...kinds.values()].sort((a, b) => weight(a) - weight(b) || b.count - a.count);
  const lines = inOrder.map(({ problem: { severity, code, message }, count, places }) => {
    const more = count > places.length ? `; and ${count - places.length} more (see --json or --report)` : "";
    return `  ${severity} ${code} (${count}): ${printable(`${places.join("; ")}${more} (${message})`)}\n`;
  });
  const found = inOrder.reduce((sum, { count }) => sum + count, 0);
  return `${counted(found, "finding")}\n${lines.join("")}`;
}

/** `acme / P1 prices.rooms[0] = {"amount":"-1"}`. */
function findingPlace({ severity, programId, field, value }: Problem, tenantId: string | null): string {
  // An error at a field is a program's, also of one without an id (D130). A warning without an id is the
  // tenant's.
  const isOfProgram = programId !== null || (field !== null && severity === "error");
  const ids = [tenantId, isOfProgram ? shownId(programId) : null].filter((id) => id !== null).join(" / ");
  const place = [ids, field].filter((part) => part !== null && part !== "").join(" ");
  if (value === null) return place;
  const shown = value.trim() === "" ? JSON.stringify(value) : value;
  return place === "" ? shown : `${place} = ${shown}`;
}

/** P147: what a build would do to a tenant, as its dry run says. Empty when that is nothing. */
function plannedChanges({ tenantId, changes }: TenantRun): string {
  const { added = [], changed = [], removed = [], withdrawn = [] } = changes ?? {};
  const lines = Object.entries({ add: added, change: changed, remove: removed, withdraw: withdrawn })
    .filter(([, ids]) => ids.length > 0)
    .map(([what, ids]) => {
      return `  ${what} ${counted(ids.length, "program")}: ${shownIds(ids, ids.length, " (see --json)")}\n`;
    });
  return lines.length === 0 ? "" : `${tenantId}: a build would\n${lines.join("")}`;
}

/** P19: names the programs left out by the ids that the source has, so that people can look for them. */
function leftOutLine(run: TenantRun): string {
  const count = leftOutCount(run);
  if (count === 0) return "";
  const rest = isPublishing(run) ? "; the rest is published" : "";
  const ids = shownIds((run.leftOut ?? []).map(shownId), count, " (see --json or --report)");
  return `${run.tenantId}: ${counted(count, "program")} left out${rest}: ${ids}\n`;
}

function leftOutCount({ leftOut = [], leftOutOmitted = 0 }: TenantRun): number {
  return leftOut.length + leftOutOmitted;
}

function isPublishing({ outcome }: TenantRun): boolean {
  return outcome === "published" || outcome === "unchanged";
}

/** The first of `count` ids, and how many more there are. */
function shownIds(ids: readonly string[], count: number, whereAll: string): string {
  const shown = ids.slice(0, maxShownIds);
  const more = count > shown.length ? `, and ${count - shown.length} more${whereAll}` : "";
  return shown.join(", ") + more;
}

const maxShownIds = 20;

/** P20: says what was withdrawn of a tenant whose other changes were kept back. */
function withdrawnLine(run: TenantRun): string {
  const count = run.counts.withdrawn ?? 0;
  if (count === 0 || isPublishing(run) || run.outcome === "would-publish") return "";
  return `${run.tenantId}: ${counted(count, "program")} withdrawn all the same, since the source states it\n`;
}

/** Tenants with the same failure share a line. A failure of the whole run has its own and is not repeated. */
function failureLines({ tenants, failure }: RunReport): readonly string[] {
  const alike = new Map<string, { readonly run: TenantRun; readonly ids: string[] }>();
  for (const run of tenants) {
    if (run.failure === null || failure?.message.startsWith(run.failure.message)) continue;
    const key = `${run.outcome} ${run.failure.message}`;
    const known = alike.get(key) ?? { run, ids: [] };
    alike.set(key, known);
    known.ids.push(run.tenantId);
  }
  const lines = [...alike.values()].map(({ run, ids }) => {
    const message = printableLines(run.failure?.message ?? "");
    return `${run.outcome}: ${shownIds(ids, ids.length, "")}: ${message}\n`;
  });
  return failure === null ? lines : [...lines, `failed: ${printableLines(failure.message)}\n`];
}

function lastLine({ tenants, totals, durationMs, outcome }: RunReport): string {
  const outcomes = Object.entries(totals.tenants)
    .filter(([, count]) => count > 0)
    .map(([each, count]) => `${count} ${each}`);
  const left = tenants.filter(isPublishing).reduce((sum, run) => sum + leftOutCount(run), 0);
  const leftOut = left === 0 ? "" : `; ${counted(left, "program")} left out`;
  const programs = `${totals.programs.programs} programs in ${(durationMs / 1000).toFixed(1)} s`;
  const begin = begins[outcome] ?? `${outcome[0]?.toUpperCase()}${outcome.slice(1)}`;
  return `${begin}: ${outcomes.join(", ") || "no tenants"}${leftOut}; ${programs}.`;
}

const begins: Partial<Record<RunReport["outcome"], string>> = {
  unchanged: "Nothing changed, nothing written",
  "dry-run": "Dry run, nothing written",
};
