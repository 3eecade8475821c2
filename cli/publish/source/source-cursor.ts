import type { QueryArrayConfig, QueryArrayResult } from "pg";
import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { asText, forEachRow } from "../../database/for-each-row.ts";
import type { ProgramView } from "./contract.ts";
import { guardedChildQuery, guardedProgramsQuery } from "./guarded-queries.ts";
import { maxRoundBytes, programsPerRound, type SmallViews, type SourceLimits } from "./source-limits.ts";
import { allChildrenQuery, childQueries, ofPrograms, programsQuery } from "./source-queries.ts";

export type Row = readonly (string | null)[];

/** A query of the tenant's rows of one view, fetched in rounds that fit into memory. */
export interface SourceCursor {
  readonly view: ProgramView;
  /** Whether the view holds something large, so that a guarded query reads it. */
  readonly isGuarded: boolean;
  readonly query: string;
  /** How many rows to fetch next. */
  next: number;
  isComplete: boolean;
}

/** A cursor that has fetched nothing. */
export function sourceCursor(view: ProgramView, limits: SourceLimits, small: SmallViews): SourceCursor {
  const isGuarded = !small.has(view);
  // Nothing has told the size of a guarded query's first row, so that row is fetched alone.
  return {
    view,
    isGuarded,
    query: queryOf(view, isGuarded, limits),
    next: isGuarded ? 1 : programsPerRound,
    isComplete: false,
  };
}

/** Opens the cursors, limited to the programs `only`. */
export async function declareCursors(
  client: SourceClient,
  tenantId: TenantId,
  cursors: readonly SourceCursor[],
  only: readonly string[] | undefined,
): Promise<void> {
  for (const { view, query } of cursors) {
    const [text, values] = narrowed(query, tenantId, only);
    await client.query(`DECLARE "${view}" NO SCROLL CURSOR FOR ${text}`, values);
  }
}

/**
 * All rows of a few small programs, of the tenant or of these ids. A cursor's query would be planned anew for each tenant. Throws
 * `internal` when a view gives a row of another tenant.
 */
export async function allRows(
  client: SourceClient,
  tenantId: TenantId,
  cursors: readonly SourceCursor[],
  only: readonly string[] | undefined,
): Promise<ReadonlyMap<ProgramView, readonly Row[]>> {
  const found = new Map(cursors.map(({ view }): [ProgramView, Row[]] => [view, []]));
  const take = (view: ProgramView, row: Row): void => {
    found.get(view)?.push(row);
  };
  await forEachRow(client, ...narrowed(programsQuery, tenantId, only), (row) => take("programs", row));
  await forEachRow(client, ...narrowed(allChildrenQuery, tenantId, only), (row) =>
    take(row.at(-1) as ProgramView, row),
  );
  for (const cursor of cursors) {
    requireOwn(found.get(cursor.view) ?? [], tenantId, cursor.view);
    cursor.isComplete = true;
  }
  return found;
}

/** Fetches from all the cursors in one round trip. Throws `internal` when a view gives a row of another tenant. */
export async function fetchRows(
  client: SourceClient,
  tenantId: TenantId,
  cursors: readonly SourceCursor[],
): Promise<ReadonlyMap<ProgramView, readonly Row[]>> {
  if (cursors.length === 0) return new Map();
  const text = cursors.map(({ view, next }) => `FETCH ${next} FROM "${view}"`).join(";");
  const config = { text, rowMode: "array", types: asText } as unknown as QueryArrayConfig;
  const answer = await client.query<(string | null)[]>(config);
  const results: readonly QueryArrayResult<(string | null)[]>[] = Array.isArray(answer) ? answer : [answer];
  return new Map(
    cursors.map((cursor, at) => {
      const rows = results[at]?.rows ?? [];
      requireOwn(rows, tenantId, cursor.view);
      cursor.isComplete = rows.length < cursor.next;
      // While the rows of a whole round would be too much for memory, rows are fetched one by one.
      const ahead = cursor.isGuarded ? Number(rows.at(-1)?.at(-1) ?? 0) : 0;
      cursor.next = ahead <= maxRoundBytes ? programsPerRound : 1;
      return [cursor.view, rows];
    }),
  );
}

/** The query with its values, narrowed to the programs `only`. */
function narrowed(
  query: string,
  tenantId: TenantId,
  only: readonly string[] | undefined,
): readonly [text: string, values: unknown[]] {
  return only === undefined ? [query, [tenantId]] : [ofPrograms(query), [tenantId, only]];
}

function queryOf(view: ProgramView, isGuarded: boolean, limits: SourceLimits): string {
  if (view === "programs") return isGuarded ? guardedProgramsQuery(limits) : programsQuery;
  return isGuarded ? guardedChildQuery(view, limits) : childQueries[view];
}

/** The last guard between tenants: a row of another tenant, which a broken view may give, ends the build. */
function requireOwn(rows: readonly Row[], tenantId: TenantId, view: ProgramView): void {
  if (rows.every((row) => row[1] === tenantId)) return;
  throw new Failure("internal", `partner_source.${view} gave a row of another tenant than asked for.`);
}
