import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { viewNames } from "../../publish/source/contract.ts";
import type { Fix, SourceProblem } from "../../publish/source/source-problem.ts";
import { tryReading } from "../../publish/source/try-reading.ts";
import type { FindingGroups } from "./finding-groups.ts";
import { advice, maxExamples, viewProblem } from "./view-problem.ts";

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
  if (rows.tenants === 0) {
    const message = "partner_source.tenants gives no row, so nothing is built.";
    return [viewProblem("no_tenants", "error", "tenants", message, rightSource("tenants"))];
  }
  if (rows.programs === 0) {
    const message = "partner_source.programs gives no row, so every tenant's list is empty.";
    return [viewProblem("no_programs", "error", "programs", message, rightSource("programs"))];
  }
  const without = [...tallies].filter(([, { programs }]) => programs === 0);
  const idle = [...tallies].filter(([, tally]) => tally.programs > 0 && tally.unpublished === tally.programs);
  return [
    ...ofTenants("tenant_without_programs", without, {
      column: "tenant_id",
      what: "no row in partner_source.programs",
      value: () => "no programs",
      text: "compare tenant_id of the views tenants and programs by byte; a tenant that offers nothing is well as it is",
    }),
    ...ofTenants("tenant_without_active", idle, {
      column: "lifecycle_state",
      what: "no active program",
      value: ({ programs }) => `${programs} program(s), none active`,
      text: "look at the states that the view gives them: SELECT lifecycle_state, count(*) FROM partner_source.programs GROUP BY 1; a tenant that offers nothing is well as it is",
    }),
  ];
}

interface TenantFinding {
  readonly column: string;
  readonly what: string;
  readonly value: (tally: ProgramTally) => string;
  readonly text: string;
}

function ofTenants(
  code: string,
  tenants: readonly (readonly [TenantId, ProgramTally])[],
  { column, what, value, text }: TenantFinding,
): readonly SourceProblem[] {
  if (tenants.length === 0) return [];
  const message =
    tenants.length === 1
      ? `1 tenant has ${what}: its list is empty.`
      : `${tenants.length} tenants have ${what}: their lists are empty.`;
  const examples = tenants
    .slice(0, maxExamples)
    .map(([tenantId, tally]) => ({ tenantId, programId: null, value: value(tally) }));
  const problem = viewProblem(code, "warning", "programs", message, advice(text));
  return [{ ...problem, column, count: tenants.length, examples }];
}

function rightSource(view: string): Fix {
  return advice(
    `look whether DATABASE_URL names the right database, and whether SELECT * FROM partner_source.${view} gives rows to the view's owner`,
  );
}

/**
 * Counts the rows of each view. P104: no build reads rows without a tenant or of unlisted tenants, so they are reported here. For
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
    const place = { view, column: "tenant_id" };
    const add = (
      code: "tenant_id_null" | "rows_of_unknown_tenant",
      count: number,
      tenantId: string | null,
    ) => {
      if (count > 0) groups.add(code, place, { tenantId, programId: null, value: `${count} row(s)` }, count);
    };
    add("tenant_id_null", Number(counts.nameless), null);
    if (tenants.length > 0) add("rows_of_unknown_tenant", Number(counts.foreign), counts.firstForeign);
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
