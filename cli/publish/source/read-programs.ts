import { Failure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import { type SourceClient, type TextRow, textRows } from "../../database/connect.ts";
import { lifecycle, type ProgramSource } from "../public-program/program-source.ts";
import { programsPerRound, smallBytes } from "./limits.ts";
import { type FromView, programsQuery, programViews, sumsQuery } from "./program-queries.ts";
import { bareSource, oversizeIn, type ProgramRows, programSource, type SourceLimits } from "./program-row.ts";

/** What PostgreSQL says of a tenant's rows without giving them. */
export interface TenantSums {
  /**
   * A checksum of all rows of each program in all views, in the order of the ids' bytes, that of rows without
   * an id last. Equal for equal rows in any order. Unequal rows have the same sum once in 2^64.
   */
  readonly sums: ReadonlyMap<string | null, string>;
  readonly strays: readonly StrayRows[];
}

/** How many programs that the view `programs` does not have have rows in another view (D36). */
export interface StrayRows {
  readonly view: string;
  readonly programs: number;
  readonly firstProgramId: string | null;
}

/** `only`: the programs that are summed; all unless given. */
export async function readSums(
  client: SourceClient,
  tenantId: TenantId,
  only?: readonly string[],
  from?: FromView,
): Promise<TenantSums> {
  const sums = new Map<string | null, string>();
  const ofUnknown: TextRow[] = [];
  const values = only === undefined ? [tenantId] : [tenantId, only];
  for (const row of await textRows(client, sumsQuery(only !== undefined, from), values)) {
    const [id = null, sum = null, views = null] = row;
    if (views === null) sums.set(id, sum ?? "");
    else ofUnknown.push(row);
  }
  const strays = programViews.flatMap((view, at) => {
    const [first, ...others] = ofUnknown.filter(([, , views]) => (Number(views) & (1 << at)) !== 0);
    return first ? [{ view, programs: others.length + 1, firstProgramId: named(first[0] ?? null) }] : [];
  });
  return { sums, strays };
}

/** `isDuplicate`: the tenant has several rows of this id. */
export interface ReadProgram {
  readonly source: ProgramSource;
  readonly isDuplicate: boolean;
}

/**
 * The programs to read: all, or `only` these. `count`: the most ids there may be; few are read in one go.
 */
export interface WantedPrograms {
  readonly only?: readonly string[] | undefined;
  readonly count?: number | undefined;
  readonly from?: FromView | undefined;
}

/**
 * Reads a tenant's programs in the order of their ids, some at a time. A large program stays in the database
 * at first, and is then read alone, so that memory holds one such program.
 */
export async function* readPrograms(
  client: SourceClient,
  tenantId: TenantId,
  limits: SourceLimits,
  { only, count = only?.length, from }: WantedPrograms = {},
): AsyncGenerator<readonly ReadProgram[], void> {
  const query = programsQuery(Math.min(smallBytes, limits.maxProgramBytes), only !== undefined, from);
  const values = only === undefined ? [tenantId] : [tenantId, only];
  const isFew = count !== undefined && count <= programsPerRound;
  const rounds = isFew ? [textRows(client, query, values)] : roundsOf(client, query, values);
  for await (const round of rounds) {
    let batch: ReadProgram[] = [];
    for (const row of round) {
      if (!isLarge(row, limits)) {
        // P215: rows without an id are one row of this answer, and may be any number of programs.
        for (const program of programsOf(row, tenantId, limits)) batch.push(program);
        continue;
      }
      yield batch;
      batch = [];
      const wholeQuery = programsQuery(limits.maxProgramBytes, true, from);
      const [whole = row] = await textRows(client, wholeQuery, [tenantId, [row[0]]]);
      yield programsOf(whole, tenantId, limits);
    }
    yield batch;
  }
}

/** A single program as a build would read it. `undefined` when the source does not have it. */
export async function readProgram(
  client: SourceClient,
  tenantId: TenantId,
  programId: string,
  limits: SourceLimits,
): Promise<ReadProgram | undefined> {
  for await (const [read] of readPrograms(client, tenantId, limits, { only: [programId] })) {
    if (read !== undefined) return read;
  }
  return undefined;
}

/** Fetches the next round while the caller works on this one. */
async function* roundsOf(
  client: SourceClient,
  query: string,
  values: readonly unknown[],
): AsyncGenerator<readonly TextRow[], void> {
  await client.query(`DECLARE programs NO SCROLL CURSOR FOR ${query}`, [...values]);
  const text = `FETCH ${programsPerRound} FROM programs`;
  const fetchRound = () => textRows(client, text, []);
  let next = fetchRound();
  for (let isLast = false; !isLast; ) {
    const rows = await next;
    isLast = rows.length < programsPerRound;
    if (!isLast) {
      next = fetchRound();
      // When the caller gives up, nobody waits for it.
      next.catch(() => {});
    }
    yield rows;
  }
  await client.query("CLOSE programs");
}

/** Whether to read the program alone. Unpublished programs need no rows, nor do rows of no program. */
function isLarge([programId, json, bytes, states]: TextRow, { maxProgramBytes }: SourceLimits): boolean {
  if (json !== null || programId === null || states == null || Number(bytes) > maxProgramBytes) return false;
  return statesOf(states).some((state) => lifecycle(state).kind !== "unpublished");
}

function programsOf(
  row: TextRow,
  tenantId: TenantId,
  { maxValueBytes, maxProgramBytes }: SourceLimits,
): readonly ReadProgram[] {
  const [programId = null, json = null, bytes, states = null, ...tenants] = row;
  // The last guard between tenants: a row of another tenant, which a broken view may give, ends the build.
  if (tenants.some((found) => found !== tenantId)) {
    throw new Failure("internal", `A view of partner_source gave a row of another tenant than ${tenantId}.`);
  }
  if (states === null) return [];
  const all = statesOf(states);
  // Rows without an id are a program each, and no child row is theirs (D130).
  if (programId === null)
    return all.map((state) => ({ source: bareSource(null, [state], null), isDuplicate: false }));
  const isDuplicate = all.length > 1;
  if (json === null) {
    const text = `programs: ${bytes} bytes, limit ${maxProgramBytes}`;
    const tooLarge = {
      code: "program_too_large",
      view: "programs",
      column: null,
      field: null,
      text,
    } as const;
    return [{ source: bareSource(named(programId), all, tooLarge), isDuplicate }];
  }
  const rows: ProgramRows = JSON.parse(json);
  // An element of a list counts at most six times the bytes of its JSON.
  const mayBeOversize = Number(bytes) * 6 > maxValueBytes;
  const oversize = mayBeOversize ? oversizeIn(rows, maxValueBytes) : null;
  return [{ source: programSource(named(programId), rows, oversize), isDuplicate }];
}

/** An id of more than 1,000 characters is ill-formed anyway, so this much of it is enough to name it. */
function named(id: string | null): string | null {
  return id === null || id.length <= 1000 ? id : [...id.slice(0, 2000)].slice(0, 1000).join("");
}

function statesOf(states: string): readonly (string | null)[] {
  return JSON.parse(states);
}
