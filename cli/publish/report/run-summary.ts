import { printable, printableLines } from "../../../core/printable.ts";
import { showStoreAddress } from "../../../core/store-address.ts";
import type { Problem, RunReport, TenantRun } from "../../../schemas/generated/types.ts";
import { databaseLabel } from "../../database/with-database-url.ts";
import { counted } from "../../output/counted.ts";
import { numbers, table } from "../../output/table.ts";
import type { CliSettings } from "../../shell/shell.ts";
import { shownId } from "../public-program/shown-id.ts";

/** Findings of a kind that are named; the report has them all (up to its own bound). */
const maxShownPlaces = 3;

/** The booking database and the store of a run, by their names for people. */
export interface RunPlaces {
  readonly database: string;
  readonly store: string;
}

export function runPlaces(settings: CliSettings): RunPlaces {
  return { database: databaseLabel(settings), store: showStoreAddress(settings.storeUrl) };
}

/** What a run did, for people: the tenants, what is wrong with their data, and a last line with all in brief. */
export function runSummary(report: RunReport, { database, store }: RunPlaces): string {
  const parts = [report.tenants.length === 0 ? "" : tenantTable(report.tenants)];
  parts.push(findingLines(report));
  for (const run of report.tenants) parts.push(plannedChanges(run));
  for (const run of report.tenants) parts.push(leftOutLines(run), withdrawnLines(run, report.options.dryRun));
  parts.push(...failureLines(report));
  parts.push(`From ${printable(database)} into ${printable(store)}:\n${lastLine(report)}\n`);
  return parts.filter((part) => part !== "").join("\n");
}

function tenantTable(runs: readonly TenantRun[]): string {
  const counted = ["PROGRAMS", "ADDED", "CHANGED", "REMOVED"].map(numbers);
  return table(
    ["TENANT", "OUTCOME", ...counted, "SNAPSHOT"],
    runs.map(({ tenantId, outcome, counts: { programs, added, changed, removed }, snapshotId }) => [
      tenantId,
      outcome,
      ...[programs, added, changed, removed].map(String),
      snapshotId ?? "-",
    ]),
  );
}

/** What concerns a whole tenant or two comes first: a leak between tenants must not be lost among dropped values. */
const weightiest: readonly string[] = [
  "programs_shared",
  "shared_unknown",
  "snapshot_empty",
  "tenant_vanished",
  "fields_emptied",
  "capacity_changed",
];

/** Findings of one kind, in all tenants. */
interface FindingKind {
  readonly problem: Problem;
  count: number;
  /** Where the first ones are. */
  readonly places: string[];
}

/** One line for each kind of finding, the weightiest first, then errors, then warnings, the more frequent first. */
function findingLines({ tenants, problems }: RunReport): string {
  const kinds = new Map<string, FindingKind>();
  const add = (problem: Problem, tenantId: string | null): void => {
    const kind = kinds.get(problem.code) ?? { problem, count: 0, places: [] };
    kinds.set(problem.code, kind);
    kind.count += 1;
    if (kind.places.length < maxShownPlaces) kind.places.push(findingPlace(problem, tenantId));
  };
  for (const { tenantId, problems: found, problemCounts } of tenants) {
    for (const problem of found) add(problem, tenantId);
    // Those beyond a report's bound are only counted.
    for (const [code, count] of Object.entries(problemCounts)) {
      const kind = kinds.get(code);
      if (kind !== undefined) kind.count += count - found.filter((problem) => problem.code === code).length;
    }
  }
  for (const problem of problems) add(problem, null);
  const weight = ({ problem: { code, severity } }: FindingKind): number =>
    weightiest.includes(code) ? weightiest.indexOf(code) - weightiest.length : severity === "error" ? 0 : 1;
  const inOrder = [...kinds.values()].sort((a, b) => weight(a) - weight(b) || b.count - a.count);
  if (inOrder.length === 0) return "";
  const lines = inOrder.map(({ problem: { severity, code, message }, count, places }) => {
    const more = count > places.length ? `; and ${count - places.length} more (see --json or --report)` : "";
    return `  ${severity} ${code} (${count}): ${printable(`${places.join("; ")}${more} (${message})`)}\n`;
  });
  const total = inOrder.reduce((sum, { count }) => sum + count, 0);
  return `${counted(total, "finding")}\n${lines.join("")}`;
}

/** `acme / P1 prices.rooms[0] = {"amount":"-1"}`. */
function findingPlace({ severity, programId, field, value }: Problem, tenantId: string | null): string {
  // An error at a field belongs to a program, also to one without an id (D131). A warning without an id belongs to the tenant.
  const isOfProgram = programId !== null || (field !== null && severity === "error");
  const ids = [tenantId, isOfProgram ? shownId(programId) : null].filter((id) => id !== null).join(" / ");
  const place = [ids, field].filter((part) => part !== null && part !== "").join(" ");
  if (value === null) return place;
  const shown = value.trim() === "" ? JSON.stringify(value) : value;
  return place === "" ? shown : `${place} = ${shown}`;
}

/** P19: names the programs left out by the ids that the source has, so that people can look for them. */
function leftOutLines({ tenantId, leftOut = [], leftOutOmitted = 0, outcome }: TenantRun): string {
  const count = leftOut.length + leftOutOmitted;
  if (count === 0) return "";
  const rest = publishing.has(outcome) ? "; the rest is published" : "";
  const ids = shownIds(leftOut.map(shownId), count, " (see --json or --report)");
  return `${tenantId}: ${counted(count, "program")} left out${rest}: ${ids}\n`;
}

/** The first of `count` ids, and how many more there are. */
function shownIds(ids: readonly string[], count: number, whereAll: string): string {
  const shown = ids.slice(0, maxShownIds);
  const more = count > shown.length ? `, and ${count - shown.length} more${whereAll}` : "";
  return shown.join(", ") + more;
}

const maxShownIds = 20;

/** P20: says what was withdrawn of a tenant whose other changes were kept back. */
function withdrawnLines({ tenantId, outcome, counts }: TenantRun, isDryRun: boolean): string {
  const count = counts.withdrawn ?? 0;
  if (count === 0 || publishing.has(outcome) || outcome === "would-publish" || isDryRun) return "";
  return `${tenantId}: ${counted(count, "program")} withdrawn all the same, since the source states it\n`;
}

/** Counts the programs left out of tenants whose other programs are published. */
function leftOutCount(runs: readonly TenantRun[]): number {
  return runs
    .filter(({ outcome }) => publishing.has(outcome))
    .reduce((sum, { leftOut = [], leftOutOmitted = 0 }) => sum + leftOut.length + leftOutOmitted, 0);
}

const publishing: ReadonlySet<TenantRun["outcome"]> = new Set(["published", "unchanged"]);

/** Tenants with the same failure share a line. A failure of the whole run has a line of its own and is not repeated. */
function failureLines(report: RunReport): string[] {
  const alike = new Map<string, { readonly run: TenantRun; readonly ids: string[] }>();
  for (const run of report.tenants) {
    const { tenantId, outcome, failure } = run;
    if (failure === null || report.failure?.message.startsWith(failure.message)) continue;
    const known = alike.get(`${outcome} ${failure.message}`);
    if (known === undefined) alike.set(`${outcome} ${failure.message}`, { run, ids: [tenantId] });
    else known.ids.push(tenantId);
  }
  const lines = [...alike.values()].map(
    ({ run: { outcome, failure }, ids }) =>
      `${outcome}: ${shownIds(ids, ids.length, "")}: ${printableLines(failure?.message ?? "")}\n`,
  );
  if (report.failure !== null) lines.push(`failed: ${printableLines(report.failure.message)}\n`);
  return lines;
}

function lastLine(report: RunReport): string {
  const { tenants, programs } = report.totals;
  const seconds = (report.durationMs / 1000).toFixed(1);
  const outcomes = Object.entries(tenants)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  const left = leftOutCount(report.tenants);
  const counts = [
    outcomes.join(", ") || "no tenants",
    ...(left === 0 ? [] : [`${counted(left, "program")} left out`]),
  ];
  const all = `${counts.join("; ")}; ${programs.programs} programs in ${seconds} s`;
  switch (report.outcome) {
    case "unchanged":
      return `Nothing changed, nothing written: ${all}.`;
    case "dry-run":
      return `Dry run, nothing written: ${all}.`;
    default:
      return `${report.outcome[0]?.toUpperCase()}${report.outcome.slice(1)}: ${all}.`;
  }
}

/** P147: what a build would do to a tenant, as its dry run says. Empty when that is nothing. */
function plannedChanges({ tenantId, changes }: TenantRun): string {
  if (changes === undefined) return "";
  const { added, changed, removed, withdrawn } = changes;
  const parts = [
    named("add", added),
    named("change", changed),
    named("remove", removed),
    named("withdraw", withdrawn),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `${tenantId}: a build would\n${parts.join("")}`;
}

function named(what: string, ids: readonly string[]): string {
  if (ids.length === 0) return "";
  return `  ${what} ${counted(ids.length, "program")}: ${shownIds(ids, ids.length, " (see --json)")}\n`;
}
