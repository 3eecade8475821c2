import type { TenantId } from "../../../core/ground/ids.ts";
import { printable } from "../../../core/ground/printable.ts";
import { rowsOf, type SourceClient } from "../../database/connect.ts";
import { hasSqlState } from "../../database/source-client.ts";
import { shownValue } from "../../publish/public-program/problem.ts";
import { contractViews, viewNames } from "../../publish/source/contract.ts";
import { type FromView, ofTenant, viewQuery } from "../../publish/source/program-queries.ts";
import type { CatalogSchema } from "../../publish/source/read-structure.ts";
import type { SoundViews } from "../../publish/source/sound-views.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { failingProgram, failingViews, tryReading } from "../../publish/source/tenant-rows.ts";
import { type FindingGroups, maxExamples, viewProblem } from "./findings.ts";

/** What a build would make of a tenant's programs. */
export interface ExpectedPrograms {
  programs: number;
  /** Those that partners would see. */
  published: number;
  /** Those whose state says that they are not to be published. */
  unpublished: number;
}

/**
 * P103: why nothing of the source, or of a tenant, would be published although no row is wrong. A source
 * without a tenant or without a program is an error: it is not yet there, or it is not the one that was
 * meant. A tenant that offers nothing is a warning, since that may be so.
 */
export function missingRows(
  rows: Readonly<Record<string, number | null>>,
  tallies: ReadonlyMap<TenantId, ExpectedPrograms>,
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
  return emptyTenants.flatMap(({ code, column, has, fix, isSo }) => {
    const empty = [...tallies].filter(([, tally]) => isSo(tally));
    const count = empty.length;
    if (count === 0) return [];
    const who =
      count === 1 ? `1 tenant has ${has}: its list is` : `${count} tenants have ${has}: their lists are`;
    const advice = `${fix}; a tenant that offers nothing is well as it is`;
    const examples = empty.slice(0, maxExamples).map(([tenantId, { programs }]) => {
      const value = programs === 0 ? "no programs" : `${programs} program(s), none active`;
      return { tenantId, programId: null, value };
    });
    const found = { column, count, examples };
    return [viewProblem(code, "warning", "programs", `${who} empty.`, advice, found)];
  });
}

const emptyTenants = [
  {
    code: "tenant_without_programs",
    column: "tenant_id",
    has: "no row in partner_source.programs",
    fix: "compare tenant_id of the views tenants and programs by byte: another case is another tenant",
    isSo: ({ programs }: ExpectedPrograms) => programs === 0,
  },
  {
    code: "tenant_without_active",
    column: "lifecycle_state",
    has: "no active program",
    fix: "look at the states that the view gives them: SELECT lifecycle_state, count(*) FROM partner_source.programs GROUP BY 1",
    isSo: ({ programs, unpublished }: ExpectedPrograms) => programs > 0 && unpublished === programs,
  },
];

/**
 * Counts the rows of each view, in all and by tenant; `null` in all for an unreadable one. P103: no build
 * reads rows without a tenant or of unlisted ones, so they are reported here. Builds report programs, too.
 */
export async function countedRows(
  client: SourceClient,
  tenants: readonly string[],
  groups: FindingGroups,
  unreadable: Unreadable,
  { from, unread }: SoundViews,
) {
  const rows: Record<string, number | null> = {};
  const byTenant = new Map<string, Record<string, number>>();
  for (const view of viewNames) {
    const reading = await tryReading(client, () => rowsOf<Counts>(client, countQuery(from(view)), [tenants]));
    if ("error" in reading) unreadable.addView(view, reading.error);
    const counts = "result" in reading ? reading.result : [];
    const isNull = unreadable.views.has(view) || unread.includes(view);
    rows[view] = isNull ? null : counts.reduce((sum, [, count]) => sum + Number(count), 0);
    for (const [tenant, count, first] of counts) {
      if (tenant !== null) byTenant.set(tenant, { ...byTenant.get(tenant), [view]: Number(count) });
      else if (view !== "tenants" && view !== "programs" && (first === null || tenants.length > 0)) {
        const code = first === null ? "tenant_id_null" : "rows_of_unknown_tenant";
        const example = { tenantId: first, programId: null, value: `${count} row(s)` };
        groups.add(code, { view, column: "tenant_id" }, example, Number(count));
      }
    }
  }
  return { rows, byTenant };
}

/** `tenant`: a listed one; `null` for rows of none, whose `first` is NULL, too, and of unlisted ones. */
type Counts = [tenant: string | null, rows: string, first: string | null];

function countQuery(from: string): string {
  const id = 'tenant_id::text COLLATE "C"';
  return `
  SELECT CASE WHEN ${id} IN (SELECT unnest($1::text[])) THEN ${id} END, count(*), min(left(${id}, 1000))
    FROM ${from}
   GROUP BY 1, tenant_id IS NULL`;
}

/**
 * P103: views that may give this role fewer rows than there are. Policies hide rows without an error, and a
 * `security_invoker` view asks for rights that the generator should not need. With `row_security` off
 * PostgreSQL refuses a query to which policies apply, at whatever depth, also where they would let all rows
 * pass; so it is only said that rows may be missing.
 */
export async function hiddenRows(
  client: SourceClient,
  { relations }: CatalogSchema,
): Promise<readonly SourceProblem[]> {
  const found: SourceProblem[] = [];
  for (const { name } of contractViews) {
    const view = `partner_source.${name}`;
    if (relations.some((relation) => relation.name === name && relation.isInvoker)) {
      const message = `The view ${view} is security_invoker: it reads its tables with the rights and policies of the connected role instead of its owner's.`;
      const text = `ALTER VIEW ${view} SET (security_invoker = false);`;
      found.push(viewProblem("security_invoker", "warning", name, message, { kind: "sql", text }));
    }
    const reading = await tryReading(client, async () => {
      await client.query("SET LOCAL row_security = off");
      // Whole rows are selected, so that functions behind single columns are called, too.
      return await client.query(`SELECT count(v) FROM (SELECT * FROM ${view} LIMIT 1000) AS v`);
    });
    // The error is recognised by its place in PostgreSQL's code. Its message is translated, and all denied
    // rights share its SQLSTATE.
    if (!("error" in reading && "routine" in reading.error)) continue;
    if (reading.error.routine !== "check_enable_rls") continue;
    const message = `Row-level security applies to what ${view} reads: rows that its policies hide are missing, without an error. PostgreSQL says, tried with row_security = off: ${reading.error.message}.`;
    const fix =
      "ALTER ROLE ... BYPASSRLS for the role that the message is about: the owner of the view or of the function that reads the table. Where a policy shows that role all rows, nothing is missing and this warning may be passed over";
    found.push(viewProblem("row_security", "warning", name, message, fix));
  }
  return found;
}

/** What could not be read: each view's first failure, and tenants that fail where each view gives rows. */
export class Unreadable {
  readonly views = new Map<string, SourceProblem>();
  readonly #tenants = new Map<TenantId, Error>();

  /** `tenantId`: whose rows could not be read; `undefined` when the view fails for all. */
  addView(view: string, error: Error, tenantId?: TenantId, programId?: string): void {
    if (this.views.has(view)) return;
    const program = programId === undefined ? "" : `, at its program ${printable(programId)},`;
    const whose = tenantId === undefined ? "" : ` for the tenant ${tenantId}${program}`;
    const ofProgram = programId === undefined ? "" : ` AND program_id = '${programId.replaceAll("'", "''")}'`;
    const condition = tenantId === undefined ? "" : ` WHERE tenant_id = '${tenantId}'${ofProgram}`;
    const fix = fixOf(error, `SELECT * FROM partner_source.${view}${condition}`);
    const message = sentence(`Reading partner_source.${view}${whose} fails: ${error.message}`);
    this.views.set(view, viewProblem("view_unreadable", "error", view, message, fix));
  }

  async addTenant(client: SourceClient, tenantId: TenantId, error: Error, from: FromView): Promise<void> {
    let isNamed = false;
    for await (const failing of failingViews(client, tenantId, from)) {
      isNamed = true;
      await this.#addRow(client, tenantId, failing.view, failing.error, viewQuery(failing.view, from));
    }
    // Such texts fail on their way to the reader alone, so each view is read as a whole.
    for (const view of hasSqlState(error, encodingState) ? viewNames : []) {
      const query = `SELECT * FROM ${from(view)} WHERE ${ofTenant}`;
      const reading = await tryReading(client, () => client.query(query, [tenantId]));
      if (!("error" in reading)) continue;
      isNamed = true;
      await this.#addRow(client, tenantId, view, reading.error, query);
    }
    if (!isNamed) this.#tenants.set(tenantId, error);
  }

  /** `query`: what fails. Only the first tenant of a view is named, so only its rows are searched. */
  async #addRow(
    client: SourceClient,
    tenantId: TenantId,
    view: string,
    error: Error,
    query: string,
  ): Promise<void> {
    if (this.views.has(view)) return;
    const narrowed = `${query} AND program_id::text = ANY ($2)`;
    const programId = view === "tenants" ? undefined : await failingProgram(client, tenantId, view, narrowed);
    this.addView(view, error, tenantId, programId);
  }

  get problems(): readonly SourceProblem[] {
    const [first] = this.#tenants;
    if (first === undefined) return [...this.views.values()];
    const message = sentence(`Reading the tenant ${first[0]} fails: ${first[1].message}`);
    const fix =
      "correct the views so that a condition on tenant_id gives the rows of that tenant and no others";
    const examples = [...this.#tenants].slice(0, maxExamples).map(([tenantId, { message }]) => {
      return { tenantId, programId: null, value: shownValue(message) };
    });
    const found = { count: this.#tenants.size, examples };
    return [...this.views.values(), viewProblem("tenant_unreadable", "error", null, message, fix, found)];
  }
}

/** SQLSTATE of bytes that are no text in the encoding that they are said to have. */
const encodingState = "22021";

function fixOf(error: Error, query: string): string {
  // A view reads its tables with its owner's rights, a security_invoker view with those of whoever asks.
  if (hasSqlState(error, "42501")) {
    return `GRANT what is denied to the view's owner, or, of a security_invoker view, to the connected role; ${query} tells whether it suffices`;
  }
  // P133: a database in SQL_ASCII takes any bytes for text, and refuses readers those that are not UTF-8.
  if (hasSqlState(error, encodingState)) {
    return (
      "read such texts in the view as what they are, " +
      "convert_from(convert(convert_to(value::text, 'SQL_ASCII'), 'WIN1252', 'UTF8'), 'SQL_ASCII'), " +
      `with the encoding that wrote them in place of WIN1252; ${query} tells whether it suffices`
    );
  }
  return `run ${query} and correct the view`;
}

function sentence(text: string): string {
  return `${text}.`.replace(/\.\.$/, ".");
}
