import type { TenantId } from "../../../core/ground/ids.ts";
import { limitWaiting, type SourceClient, textRows } from "../../database/connect.ts";
import type { RunProgress } from "../../output/progress-bar.ts";
import { type ContentRules, checkedProgram } from "../../publish/content/checked-program.ts";
import { shownValue } from "../../publish/public-program/problem.ts";
import { structureProblems } from "../../publish/source/check-structure.ts";
import { sharingTenants } from "../../publish/source/find-programs.ts";
import { statesQuery } from "../../publish/source/program-queries.ts";
import { readPrograms, readSums } from "../../publish/source/read-programs.ts";
import { readStructure } from "../../publish/source/read-structure.ts";
import { readStrayPrograms, readTenantList } from "../../publish/source/read-tenants.ts";
import { soundViews } from "../../publish/source/sound-views.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/tenant-rows.ts";
import { type EnrollmentStatus, readEnrollmentStatuses } from "./enrollment-statuses.ts";
import { addShared, FindingGroups, nowhere, rowsProblem } from "./findings.ts";
import { hintRules } from "./hint-rules.ts";
import { countedRows, hiddenRows, missingRows, Unreadable } from "./missing-rows.ts";
import { addTallyHints, type SourceTables, sourceTables, TenantTally, twinFinder } from "./source-tally.ts";

export interface SourceReport {
  /** Whether a problem is an error. */
  readonly isBroken: boolean;
  /** Rows per view, `null` for an unreadable one; `null` as a whole when too much is broken to look. */
  readonly rows: Readonly<Record<string, number | null>> | null;
  /** How many programs a build would publish; `null` when the structure is broken. */
  readonly published: number | null;
  readonly problems: readonly SourceProblem[];
  /** `null` when no rows were looked at, and when the view enrollments could not be read. */
  readonly statuses: readonly EnrollmentStatus[] | null;
  /** `null` when no rows were looked at. */
  readonly tables: SourceTables | null;
  /** Views, and columns of `programs`, that break the contract. They count as empty. */
  readonly unread: readonly string[];
}

/**
 * Checks the structure first, then reads and maps every tenant as in a build, as far as views are sound. The
 * report has what a build would find, why it may find too little, and what is legal and probably wrong on the
 * day `today` (`YYYY-MM-DD`). `removed`: the tenants that an operator removed. Expects a transaction that
 * shows one state of the source.
 */
export async function checkSource(
  client: SourceClient,
  rules: ContentRules,
  progress: RunProgress,
  removed: ReadonlySet<string>,
  today: string,
): Promise<SourceReport> {
  const schema = await readStructure(client);
  const structure = structureProblems(schema);
  const sound = soundViews(structure);
  if (sound === undefined) {
    const unknown = { rows: null, published: null, statuses: null, tables: null, unread: [] };
    return { isBroken: true, problems: structure, ...unknown };
  }
  const { from, isRead, unread } = sound;
  const groups = new FindingGroups(isRead);
  const unreadable = new Unreadable();
  const check = { rules, progress, today, from, groups };

  const list = await tryReading(client, () => readTenantList(client));
  const { tenants, problems: ofTenants } = "result" in list ? list.result : { tenants: [], problems: [] };
  for (const problem of ofTenants) groups.addTenant(problem, "tenants");
  progress.total(tenants.length);
  const tallies = new Map<TenantId, TenantTally>();
  const unreadTallies = new Map<TenantId, TenantTally>();
  for (const tenantId of tenants) {
    const reading = await tryReading(client, () => checkTenant(client, tenantId, check));
    if ("result" in reading) tallies.set(tenantId, reading.result);
    else {
      await unreadable.addTenant(client, tenantId, reading.error, from);
      unreadTallies.set(tenantId, await statedTally(client, tenantId));
    }
    progress.tenantDone();
  }
  // Whole views come after the tenants, since the tenant at which a view fails says more (P133).
  if ("error" in list) unreadable.addView("tenants", list.error);
  else await addStrays(client, removed, groups, unreadable);
  const listed = [...tenants, ...removed];
  const { rows, byTenant } = await countedRows(client, listed, groups, unreadable, sound);
  await limitWaiting(client, { statementMs: maxQueryMs });
  const sharing = await tryReading(client, () => sharingTenants(client));
  if ("result" in sharing) addShared(groups, sharing.result);
  addTallyHints(groups, tallies);
  const causes = [...missingRows(rows, tallies), ...(await hiddenRows(client, schema))];
  const problems = [...structure, ...causes, ...unreadable.problems, ...groups.problems];
  const published = [...tallies.values()].reduce((sum, tally) => sum + tally.published, 0);
  const isBroken = problems.some(({ severity }) => severity === "error");
  const { hints, statuses } = isRead({ view: "enrollments", column: "status" })
    ? await readStatuses(client, rules, unreadable.problems.length === 0)
    : { hints: [], statuses: null };
  const tables = sourceTables(new Map([...tallies, ...unreadTallies]), byTenant);
  const found = { rows, published: structure.length > 0 ? null : published, statuses, tables, unread };
  return { isBroken, problems: [...problems, ...hints], ...found };
}

interface TenantCheck {
  readonly rules: ContentRules;
  readonly progress: RunProgress;
  readonly today: string;
  /** The views to read from. */
  readonly from: Exclude<ReturnType<typeof soundViews>, undefined>["from"];
  readonly groups: FindingGroups;
}

async function checkTenant(
  client: SourceClient,
  tenantId: TenantId,
  { rules, progress, today, from, groups }: TenantCheck,
): Promise<TenantTally> {
  const { sums, strays } = await readSums(client, tenantId, undefined, from);
  for (const { view, programs, firstProgramId: programId } of strays) {
    const value = `the first of ${programs} such program id(s)`;
    const place = { view, column: "program_id" };
    groups.add("rows_of_unknown_program", place, { tenantId, programId, value }, programs);
  }
  const tally = new TenantTally();
  const twinOf = twinFinder();
  for await (const batch of readPrograms(client, tenantId, rules.limits, { count: sums.size, from })) {
    for (const read of batch) {
      const outcome = checkedProgram(read, rules);
      groups.addProgram(tenantId, read, outcome);
      const twin = outcome.kind === "published" ? twinOf(read.source) : undefined;
      groups.addHints(tenantId, read, today, twin);
      tally.add(read.source, outcome);
    }
    progress.programs(batch.length);
  }
  return tally;
}

/** Rows of a tenant that an operator removed are passed over without advice to list the tenant again. */
async function addStrays(
  client: SourceClient,
  removed: ReadonlySet<string>,
  groups: FindingGroups,
  unreadable: Unreadable,
): Promise<void> {
  const strays = await tryReading(client, () => readStrayPrograms(client));
  if ("error" in strays) return unreadable.addView("programs", strays.error);
  for (const stray of strays.result) {
    if (!removed.has(stray.tenantId ?? "")) groups.addTenant(stray, "programs");
  }
}

/** Of a tenant whose programs cannot be read, the states of its programs; none if even these fail. */
async function statedTally(client: SourceClient, tenantId: TenantId): Promise<TenantTally> {
  const tally = new TenantTally();
  const reading = await tryReading(client, () => textRows(client, statesQuery, [tenantId]));
  for (const [, state = null] of "result" in reading ? reading.result : []) tally.addState(state, "invalid");
  return tally;
}

/** A question about all tenants' rows that takes longer is given up. */
const maxQueryMs = 120_000;
/** With so many statuses, one is of a booking that takes no place. Fewer may be of bookings that count. */
const minStatuses = 3;

/**
 * The statuses of all enrollments, and the hints about them. A question that fails is a hint (P191), and not
 * even that when the views are known to fail. Expects to be the last in its transaction.
 */
async function readStatuses(
  client: SourceClient,
  rules: ContentRules,
  isReadable: boolean,
): Promise<Pick<SourceReport, "statuses"> & { readonly hints: readonly SourceProblem[] }> {
  await limitWaiting(client, { statementMs: maxQueryMs });
  const reading = await tryReading(client, () => readEnrollmentStatuses(client, rules));
  if ("error" in reading) {
    const value = shownValue(`status_takes_place: ${reading.error.message}`);
    const failure = { tenantId: null, programId: null, value };
    const unasked = rowsProblem("hints_unasked", hintRules.hints_unasked, nowhere, 1, [failure]);
    return { statuses: null, hints: isReadable ? [unasked] : [] };
  }
  const statuses = reading.result;
  const passengers = statuses.filter(({ isStaff }) => !isStaff);
  if (passengers.length < minStatuses || !passengers.every(({ takesPlace }) => takesPlace)) {
    return { statuses, hints: [] };
  }
  const examples = passengers.map(({ status, count }) => {
    return { tenantId: null, programId: null, value: shownValue(status), count };
  });
  const count = passengers.reduce((sum, one) => sum + one.count, 0);
  const place = { view: "enrollments", column: "status" };
  const hint = rowsProblem("status_takes_place", hintRules.status_takes_place, place, count, examples);
  return { statuses, hints: [hint] };
}
