import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { limitWaiting, type SourceClient } from "../../database/connect.ts";
import { rowsOf } from "../../database/for-each-row.ts";
import type { ContentRules } from "../../publish/content/content-rules.ts";
import { shownValue } from "../../publish/public-program/problem.ts";
import { knownSandbox } from "../../publish/sandbox/sandbox-document.ts";
import { knownRemovals } from "../../publish/snapshot/removed-tenants.ts";
import { publishedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { keptTenants } from "../../publish/snapshot/stored-tenants.ts";
import { readTenantList } from "../../publish/source/read-tenants.ts";
import type { ProblemExample, SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import { type AskStore, type SourceReport, unlessAway } from "./check-source.ts";
import {
  type EnrollmentStatus,
  isCode,
  looksPlaceless,
  readEnrollmentStatuses,
} from "./enrollment-statuses.ts";
import { maxValues, viewProblem } from "./findings.ts";
import { type HintCode, type HintRule, hintRules, limits } from "./hint-rules.ts";

export interface Plausibility {
  readonly hints: readonly SourceProblem[];
  /** `null` when the view enrollments could not be read. */
  readonly statuses: readonly EnrollmentStatus[] | null;
}

/** A query over all tenants' rows that takes longer is given up. */
const maxQueryMs = 120_000;

/** The rules, the day and the store by which plausibility is judged. */
export interface PlausibilityContext {
  readonly rules: ContentRules;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  readonly askStore: AskStore;
  readonly signal: AbortSignal;
}

/**
 * P191: what is legal and probably wrong, asked about all rows at once, kind by kind. A question that fails is a hint and no error,
 * and not even that when `report` has the failure of a view already. The store is asked if it can be. Expects the transaction of
 * the report, and to be the last in it.
 */
export async function plausibility(
  client: SourceClient,
  report: SourceReport,
  { rules, today, askStore, signal }: PlausibilityContext,
): Promise<Plausibility> {
  if (report.rows === null) return { hints: [], statuses: null };
  await limitWaiting(client, { statementMs: maxQueryMs });
  const hints: SourceProblem[] = [];
  const failures: ProblemExample[] = [];
  const failed = (code: string, { message }: Error): void => {
    failures.push({ tenantId: null, programId: null, value: shownValue(`${code}: ${message}`) });
  };
  for (const [code, rule] of Object.entries<HintRule>(hintRules)) {
    const reading = await tryReading(client, () => doubtfulValues(client, rule, today));
    if ("error" in reading) failed(code, reading.error);
    else hints.push(...reading.result.map((found) => hint(code as HintCode, found)));
  }
  const statuses = await tryReading(client, () => readEnrollmentStatuses(client, rules));
  if ("error" in statuses) failed("status_takes_place", statuses.error);
  else hints.push(...placelessHint(statuses.result, rules.terminalStatuses));
  const renamed = askStore((store) => renamedTenants(client, store, signal));
  hints.push(...(await unlessAway(renamed, [], signal)));
  const isUnreadable = report.problems.some(({ code }) => code.endsWith("_unreadable"));
  if (failures.length > 0 && !isUnreadable) {
    hints.push(hint("hints_unasked", { place: null, count: failures.length, examples: failures }));
  }
  return { hints, statuses: "result" in statuses ? statuses.result : null };
}

/** Doubtful values at one place of the contract. */
interface Doubtful {
  /** `view.column`. */
  readonly place: string | null;
  readonly count: number;
  readonly examples: readonly ProblemExample[];
}

function hint(code: HintCode, { place, count, examples }: Doubtful, moreAdvice = ""): SourceProblem {
  const { rule, advice } = hintRules[code];
  const [view = null, column = null] = place?.split(".") ?? [];
  const where = view === null ? "" : ` in partner_source.${view}`;
  const problem = viewProblem(code, "hint", view, `${count} found${where}: ${rule}.`, advice + moreAdvice);
  return { ...problem, column, count, examples };
}

/** Distinct values, the most frequent first, each with its first program. */
async function doubtfulValues(
  client: SourceClient,
  { query, values }: HintRule,
  today: string,
): Promise<readonly Doubtful[]> {
  if (query === undefined) return [];
  const grouped = `
  SELECT place, max(total)::int AS count,
         json_agg(json_build_object('tenantId', at[1], 'programId', at[2], 'value', value, 'count', times) ORDER BY nth) AS examples
    FROM (SELECT place, left(value, 1000) AS value, count(*) AS times, min(ARRAY[left(tenant, 1000), left(program, 1000)]) AS at,
                 sum(count(*)) OVER (PARTITION BY place) AS total,
                 row_number() OVER (PARTITION BY place ORDER BY count(*) DESC, left(value, 1000)) AS nth
            FROM (SELECT DISTINCT place, tenant, program, value FROM (${query}) AS rows_found) AS found
           GROUP BY place, left(value, 1000), CASE WHEN program IS NULL THEN tenant END) AS counted
   WHERE nth <= ${maxValues}
   GROUP BY place
   ORDER BY place`;
  const rows = await rowsOf<[string, number, Required<ProblemExample>[]]>(client, grouped, values?.(today));
  return rows.map(([place, count, found]) => {
    const examples = found.map(({ count: times, ...one }) => {
      const example = { ...one, value: shownValue(one.value) };
      return one.programId === null ? example : { ...example, count: times };
    });
    return { place, count, examples };
  });
}

function placelessHint(
  statuses: readonly EnrollmentStatus[],
  terminal: readonly string[],
): readonly SourceProblem[] {
  const passengers = statuses.filter(({ isStaff }) => !isStaff);
  const all = passengers.flatMap(({ status, takesPlace, count }) =>
    takesPlace && status !== null ? [{ tenantId: null, programId: null, value: status, count }] : [],
  );
  const named = all.filter(({ value }) => looksPlaceless(value));
  const isNoneTerminal = all.length >= limits.minStatuses && passengers.every(({ takesPlace }) => takesPlace);
  const areAllDoubtful = isNoneTerminal && named.length === 0;
  const found = areAllDoubtful ? all : all.filter(({ value }) => looksPlaceless(value) || isCode(value));
  if (found.length === 0) return [];
  const names = named.map(({ value }) => value).filter((status) => !status.includes(","));
  const count = found.reduce((sum, one) => sum + one.count, 0);
  const examples = found.map((one) => ({ ...one, value: shownValue(one.value) }));
  const setting = names.length === 0 ? "" : `: ${[...terminal, ...names].join(",")}`;
  return [hint("status_takes_place", { place: "enrollments.status", count, examples }, setting)];
}

/** So many tenants that vanished are compared with new ones. */
const maxVanished = 20;

/** Tenants that vanished from the source, each beside a new one with its programs. Throws when the store does not answer. */
async function renamedTenants(
  client: SourceClient,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<readonly SourceProblem[]> {
  const { tenants } = await readTenantList(client);
  const listed = new Set<TenantId>(tenants);
  const kept = new Set<TenantId>();
  for await (const id of keptTenants(store, await knownRemovals(store, signal), signal)) kept.add(id);
  const sandbox = await knownSandbox(store, signal);
  const vanished = [...kept].filter((id) => !listed.has(id) && id !== sandbox).slice(0, maxVanished);
  const added = tenants.filter((id) => !kept.has(id));
  const examples: ProblemExample[] = [];
  const commands: string[] = [];
  for (const tenantId of added.length === 0 ? [] : vanished) {
    const live = await publishedSnapshot(store, tenantId, signal);
    const programs = live === undefined ? [] : [...live.manifest.programs.ids()];
    const [heir] = await rowsOf<[string, number]>(client, heirQuery, [programs, added]);
    if (heir === undefined || heir[1] <= programs.length * limits.renamedShare) continue;
    examples.push({
      tenantId,
      programId: null,
      value: `${heir[0]} has ${heir[1]} of its ${programs.length} program(s)`,
    });
    commands.push(`partner-programs tenant rename ${tenantId} ${heir[0]}`);
  }
  const found = { place: "tenants.tenant_id", count: examples.length, examples };
  return examples.length === 0 ? [] : [hint("tenant_renamed", found, `: ${commands.join("; ")}`)];
}

const heirQuery = `
  SELECT tenant_id::text, count(DISTINCT program_id::text)::int
    FROM partner_source.programs
   WHERE program_id::text = ANY ($1) AND tenant_id::text COLLATE "C" = ANY ($2)
   GROUP BY 1
   ORDER BY 2 DESC, 1
   LIMIT 1`;
