import { limitWaiting, rowsOf, type SourceClient } from "../../database/connect.ts";
import type { ContentRules } from "../../publish/content/content-rules.ts";
import { shownValue } from "../../publish/public-program/problem.ts";
import type { ProblemExample, SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/tenant-rows.ts";
import type { SourceReport } from "./check-source.ts";
import { type EnrollmentStatus, readEnrollmentStatuses } from "./enrollment-statuses.ts";
import { maxValues, rowsProblem } from "./findings.ts";
import { type HintCode, type HintRule, hintRules } from "./hint-rules.ts";

/** A query over all tenants' rows that takes longer is given up. */
const maxQueryMs = 120_000;

/**
 * P191: what is legal and probably wrong on the day `today` (`YYYY-MM-DD`), asked about all rows at once, kind by kind. A question
 * that fails is a hint and no error, and not even that when a failure of the views is known already. Expects to be the last in its
 * transaction.
 */
export async function plausibility(
  client: SourceClient,
  rules: ContentRules,
  today: string,
  isReadable: boolean,
): Promise<Pick<SourceReport, "statuses"> & { readonly hints: readonly SourceProblem[] }> {
  await limitWaiting(client, { statementMs: maxQueryMs });
  const hints: SourceProblem[] = [];
  const failures: ProblemExample[] = [];
  const failed = (code: string, { message }: Error): void => {
    failures.push({ tenantId: null, programId: null, value: shownValue(`${code}: ${message}`) });
  };
  for (const [code, rule] of Object.entries<HintRule>(hintRules)) {
    const reading = await tryReading(client, () => doubtfulValues(client, rule, today));
    if ("error" in reading) failed(code, reading.error);
    else hints.push(...reading.result.map((found) => hint(code as HintCode, ...found)));
  }
  const statuses = await tryReading(client, () => readEnrollmentStatuses(client, rules));
  if ("error" in statuses) failed("status_takes_place", statuses.error);
  else hints.push(...placelessHint(statuses.result));
  if (failures.length > 0 && isReadable) {
    hints.push(hint("hints_unasked", null, failures.length, failures));
  }
  return { hints, statuses: "result" in statuses ? statuses.result : null };
}

/** Doubtful values at one place of the contract: `view.column`. */
type Doubtful = readonly [place: string | null, count: number, examples: readonly ProblemExample[]];

function hint(code: HintCode, ...[place, count, examples]: Doubtful): SourceProblem {
  const [view = null, column = null] = place?.split(".") ?? [];
  return rowsProblem(code, { ...hintRules[code], severity: "hint" }, { view, column }, count, examples);
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
  return rows.map(([place, count, found]): Doubtful => {
    const examples = found.map(({ count: times, ...one }) => {
      const example = { ...one, value: shownValue(one.value) };
      return one.programId === null ? example : { ...example, count: times };
    });
    return [place, count, examples];
  });
}

/** With so many statuses, one is of a booking that takes no place. Fewer may be those of bookings that count alone. */
const minStatuses = 3;

function placelessHint(statuses: readonly EnrollmentStatus[]): readonly SourceProblem[] {
  const passengers = statuses.filter(({ isStaff }) => !isStaff);
  if (passengers.length < minStatuses || !passengers.every(({ takesPlace }) => takesPlace)) return [];
  const examples = passengers.map(({ status, count }) => {
    return { tenantId: null, programId: null, value: status && shownValue(status), count };
  });
  const count = passengers.reduce((sum, one) => sum + one.count, 0);
  return [hint("status_takes_place", "enrollments.status", count, examples)];
}
