import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { checkedProgram } from "../../publish/content/checked-program.ts";
import type { ContentRules } from "../../publish/content/content-rules.ts";
import { structureProblems } from "../../publish/source/check-structure.ts";
import { readPrograms, readSums, type StrayRows, strayRows } from "../../publish/source/read-programs.ts";
import { readStructure } from "../../publish/source/read-structure.ts";
import { readStrayPrograms, readTenantList, type TenantProblem } from "../../publish/source/read-tenants.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import { FindingGroups, SharedTally } from "./finding-groups.ts";
import { hiddenRows } from "./hidden-rows.ts";
import { countedRows, missingRows, type ProgramTally } from "./missing-rows.ts";
import { ProgramProblems } from "./program-problems.ts";
import { type AskStore, caseProblems, knownRemoved } from "./tenant-case.ts";
import { isOfEncoding, misencodedTexts } from "./text-encoding.ts";
import { unreadableTenants, unreadableView, unreadableViews } from "./unreadable.ts";

export interface SourceReport {
  /** Whether a problem is an error. */
  readonly isBroken: boolean;
  /** Rows per view, `null` for an unreadable one; `null` altogether when the structure is broken. */
  readonly rows: Readonly<Record<string, number | null>> | null;
  /** How many programs a build would publish; `null` as above. */
  readonly published: number | null;
  readonly problems: readonly SourceProblem[];
}

/** Is told the progress of the check. */
export interface CheckProgress {
  total(tenants: number): void;
  tenantDone(): void;
  programs(count: number): void;
}

/**
 * Checks the structure first. When it is right, every tenant is read and mapped as in a build. The report has what a build would
 * find, and why it may find too little. The store is asked what partners see, if it can be. Expects a transaction that shows one
 * state of the source.
 */
export async function checkSource(
  client: SourceClient,
  rules: ContentRules,
  progress: CheckProgress,
  askStore: AskStore,
  signal: AbortSignal,
): Promise<SourceReport> {
  const schema = await readStructure(client);
  const structure = structureProblems(schema);
  if (structure.length > 0) {
    return { isBroken: true, rows: null, published: null, problems: structure };
  }
  const groups = new FindingGroups();
  const unreadable = new Map<string, SourceProblem>();
  // Failures over all rows are added last, since the tenant and program at which a view fails say more (P133).
  const ofAllRows: SourceProblem[] = [];
  const removed = await knownRemoved(askStore, signal);
  const { tenants, claimed } = await checkTenantList(client, removed, groups, ofAllRows);
  const counted = await countedRows(client, [...tenants, ...removed], groups, (view, error) => {
    ofAllRows.push(unreadableView(view, error));
  });
  const shared = new SharedTally();
  progress.total(tenants.length);
  // Asked for at most once, when a text could not be sent.
  let misencoded: readonly SourceProblem[] | undefined;
  const tallies = new Map<TenantId, ProgramTally>();
  const failed = new Map<TenantId, Error>();
  for (const tenantId of tenants) {
    const reading = await tryReading(client, () =>
      checkTenant(client, tenantId, rules, groups, shared, progress),
    );
    if ("result" in reading) tallies.set(tenantId, reading.result);
    else {
      if (isOfEncoding(reading.error)) misencoded ??= await misencodedTexts(client);
      const isNamed = isOfEncoding(reading.error) && (misencoded ?? []).length > 0;
      const views = isNamed ? [] : await unreadableViews(client, tenantId);
      for (const problem of views) noteUnreadable(unreadable, problem);
      if (!isNamed && views.length === 0) failed.set(tenantId, reading.error);
    }
    progress.tenantDone();
  }
  for (const problem of ofAllRows) noteUnreadable(unreadable, problem);
  shared.report(groups);
  const rows = Object.fromEntries(
    Object.entries(counted).map(([view, count]) => [view, unreadable.has(view) ? null : count]),
  );
  const causes = [
    ...caseProblems(tenants, claimed),
    ...missingRows(rows, tallies),
    ...(await hiddenRows(client, schema)),
  ];
  const failures = [...unreadable.values(), ...(misencoded ?? []), ...unreadableTenants(failed)];
  const problems = [...causes, ...failures, ...groups.problems];
  const published = [...tallies.values()].reduce((sum, tally) => sum + tally.published, 0);
  return { isBroken: problems.some(({ severity }) => severity === "error"), rows, published, problems };
}

/** Keeps the first failure of each view. */
function noteUnreadable(unreadable: Map<string, SourceProblem>, problem: SourceProblem): void {
  if (problem.view !== null && !unreadable.has(problem.view)) unreadable.set(problem.view, problem);
}

/** The tenants that a build would build, and other tenant ids that programs claim. */
async function checkTenantList(
  client: SourceClient,
  removed: ReadonlySet<string>,
  groups: FindingGroups,
  unreadable: SourceProblem[],
): Promise<{ readonly tenants: readonly TenantId[]; readonly claimed: readonly string[] }> {
  const list = await tryReading(client, () => readTenantList(client));
  if ("error" in list) {
    unreadable.push(unreadableView("tenants", list.error));
    return { tenants: [], claimed: [] };
  }
  const strays = await tryReading(client, () => readStrayPrograms(client));
  if ("error" in strays) unreadable.push(unreadableView("programs", strays.error));
  const { tenants, problems } = list.result;
  for (const problem of problems) addTenantProblem(groups, problem, "tenants");
  // Rows of a tenant that an operator removed are passed over without advice to list the tenant again.
  const found =
    "result" in strays ? strays.result.filter(({ tenantId }) => !removed.has(tenantId ?? "")) : [];
  for (const stray of found) addTenantProblem(groups, stray, "programs");
  return { tenants, claimed: found.map(({ tenantId }) => tenantId).filter((tenantId) => tenantId !== null) };
}

function addTenantProblem(groups: FindingGroups, problem: TenantProblem, view: string): void {
  const { code, tenantId, programs, rows } = problem;
  const nameless = tenantId === null ? `${rows} row(s)` : tenantId;
  const value = programs === null ? nameless : `${programs} program(s)`;
  groups.add(code, { view, column: "tenant_id" }, { tenantId, programId: null, value }, programs ?? rows);
}

async function checkTenant(
  client: SourceClient,
  tenantId: TenantId,
  rules: ContentRules,
  groups: FindingGroups,
  shared: SharedTally,
  progress: CheckProgress,
): Promise<ProgramTally> {
  const sums = await readSums(client, tenantId);
  for (const stray of strayRows(sums)) addStrayRows(groups, tenantId, stray);
  const problems = new ProgramProblems(groups, tenantId);
  const tally = { programs: 0, published: 0, unpublished: 0 };
  for await (const batch of readPrograms(client, tenantId, rules.limits, { count: sums.length })) {
    for (const read of batch) {
      const outcome = checkedProgram(read, rules);
      problems.add(read, outcome);
      if (outcome.kind === "published") shared.add(tenantId, outcome.rendered.detailSha256);
      if (outcome.kind !== "invalid") tally[outcome.kind] += 1;
    }
    tally.programs += batch.length;
    progress.programs(batch.length);
  }
  return tally;
}

function addStrayRows(
  groups: FindingGroups,
  tenantId: TenantId,
  { view, programs, firstProgramId }: StrayRows,
): void {
  const value = `the first of ${programs} such program id(s)`;
  const example = { tenantId, programId: firstProgramId, value };
  groups.add("rows_of_unknown_program", { view, column: "program_id" }, example, programs);
}
