import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { viewNames } from "../../publish/source/contract.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import { type FindingGroups, maxExamples, viewProblem } from "./findings.ts";

/** What a build would make of a tenant's programs. */
export interface ProgramTally {
  programs: number;
  /** Those that partners would see. */
  published: number;
  /** Those whose state says that they are not to be published. */
  unpublished: number;
}

/**
 * P103: why nothing of the source, or of a tenant, would be published although no row is wrong. A source without a tenant or
 * without a program is an error: it is not yet there, or it is not the one that was meant. A tenant that offers nothing is
 * a warning, since that may be so.
 */
export function missingRows(
  rows: Readonly<Record<string, number | null>>,
  tallies: ReadonlyMap<TenantId, ProgramTally>,
): readonly SourceProblem[] {
  for (const [view, code, meaning] of [
    ["tenants", "no_tenants", "nothing is built"],
    ["programs", "no_programs", "every tenant's list is empty"],
  ] as const) {
    if (rows[view] !== 0) continue;
    const message = `partner_source.${view} gives no row, so ${meaning}.`;
    const fix = `look whether DATABASE_URL names the right database, and whether SELECT * FROM partner_source.${view} gives rows to the view's owner`;
    return [viewProblem(code, "error", view, message, fix)];
  }
  const ofTenants = (
    code: string,
    column: string,
    what: string,
    fix: string,
    wordsOf: (tally: ProgramTally) => string | undefined,
  ): readonly SourceProblem[] => {
    const examples = [...tallies].flatMap(([tenantId, tally]) => {
      const value = wordsOf(tally);
      return value === undefined ? [] : [{ tenantId, programId: null, value }];
    });
    const { length: count } = examples;
    if (count === 0) return [];
    const who =
      count === 1 ? `1 tenant has ${what}: its list is` : `${count} tenants have ${what}: their lists are`;
    const advice = `${fix}; a tenant that offers nothing is well as it is`;
    const problem = viewProblem(code, "warning", "programs", `${who} empty.`, advice);
    return [{ ...problem, column, count, examples: examples.slice(0, maxExamples) }];
  };
  return [
    ...ofTenants(
      "tenant_without_programs",
      "tenant_id",
      "no row in partner_source.programs",
      "compare tenant_id of the views tenants and programs by byte: another case is another tenant",
      ({ programs }) => (programs === 0 ? "no programs" : undefined),
    ),
    ...ofTenants(
      "tenant_without_active",
      "lifecycle_state",
      "no active program",
      "look at the states that the view gives them: SELECT lifecycle_state, count(*) FROM partner_source.programs GROUP BY 1",
      ({ programs, unpublished }) =>
        programs > 0 && unpublished === programs ? `${programs} program(s), none active` : undefined,
    ),
  ];
}

/**
 * Counts the rows of each view. P103: no build reads rows without a tenant or of unlisted tenants, so they are reported here. For
 * programs, builds report them, too.
 */
export async function countedRows(
  client: SourceClient,
  tenants: readonly TenantId[],
  groups: FindingGroups,
  failed: (view: string, error: Error) => void,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const view of viewNames()) {
    const reading = await tryReading(client, () => client.query<Counts>(countQuery(view), [tenants]));
    if ("error" in reading) failed(view, reading.error);
    const counts = "result" in reading ? reading.result.rows[0] : undefined;
    rows[view] = Number(counts?.rows ?? 0);
    if (counts === undefined || view === "tenants" || view === "programs") continue;
    const found = [
      ["tenant_id_null", Number(counts.nameless), null],
      ["rows_of_unknown_tenant", tenants.length > 0 ? Number(counts.foreign) : 0, counts.firstForeign],
    ] as const;
    for (const [code, count, tenantId] of found) {
      const example = { tenantId, programId: null, value: `${count} row(s)` };
      if (count > 0) groups.add(code, { view, column: "tenant_id" }, example, count);
    }
  }
  return rows;
}

interface Counts {
  readonly rows: string;
  readonly nameless: string;
  readonly foreign: string;
  readonly firstForeign: string | null;
}

function countQuery(view: string): string {
  const isForeign =
    'tenant_id IS NOT NULL AND tenant_id::text COLLATE "C" NOT IN (SELECT unnest($1::text[]))';
  return `
  SELECT count(*) AS rows, count(*) FILTER (WHERE tenant_id IS NULL) AS nameless,
         count(*) FILTER (WHERE ${isForeign}) AS foreign,
         min(left(tenant_id::text, 1000)) FILTER (WHERE ${isForeign}) AS "firstForeign"
    FROM partner_source.${view}`;
}
