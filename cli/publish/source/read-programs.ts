import type { QueryArrayConfig } from "pg";
import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { asText, forEachRow, type TextRow } from "../../database/for-each-row.ts";
import { lifecycle } from "../public-program/lifecycle.ts";
import type { ProgramSource } from "../public-program/program-source.ts";
import { programsQuery, programViews, sumsQuery } from "./program-queries.ts";
import { bareSource, oversizeIn, type ProgramRows, programSource, type SourceLimits } from "./program-row.ts";

/** A checksum of all rows of one program id in all views, computed by PostgreSQL. */
export interface ProgramSum {
  readonly programId: string | null;
  /** Equal for equal rows in any order. Unequal rows have the same sum once in 2^64. */
  readonly sum: string;
  /** A bit for each view that has rows of the program, in the order of `programViews`. */
  readonly views: number;
}

/** In the order of the ids' bytes; the sum of the rows without an id last. */
export async function readSums(client: SourceClient, tenantId: TenantId): Promise<readonly ProgramSum[]> {
  const sums: ProgramSum[] = [];
  await forEachRow(client, sumsQuery, [tenantId], ([programId = null, sum, views]) => {
    sums.push({ programId, sum: sum ?? "", views: Number(views) });
  });
  return sums;
}

export function isProgram({ views }: ProgramSum): boolean {
  return (views & 1) === 1;
}

/** How many programs that do not exist have rows in a view. */
export interface StrayRows {
  readonly view: string;
  readonly programs: number;
  readonly firstProgramId: string | null;
}

/** Finds the rows of programs that the view `programs` does not have (D36). */
export function strayRows(sums: readonly ProgramSum[]): readonly StrayRows[] {
  const ofUnknown = sums.filter((sum) => !isProgram(sum));
  return programViews.flatMap((view, at) => {
    const [first, ...others] = ofUnknown.filter(({ views }) => (views & (1 << at)) !== 0);
    return first === undefined
      ? []
      : [{ view, programs: 1 + others.length, firstProgramId: first.programId }];
  });
}

/** `isDuplicate`: the tenant has several rows of this id. */
export interface ReadProgram {
  readonly source: ProgramSource;
  readonly isDuplicate: boolean;
}

/** The programs to read: all, or `only` these. `count`: how many ids there are at most. A few are read at once. */
export interface WantedPrograms {
  readonly only?: readonly string[] | undefined;
  readonly count?: number | undefined;
}

/**
 * Reads a tenant's programs in the order of their ids, in batches that are small in memory. A program that may hold a value that is
 * too large, or that is large itself, stays in the database at first. A second query then asks for those of a batch together, with
 * such values cut.
 */
export async function* readPrograms(
  client: SourceClient,
  tenantId: TenantId,
  limits: SourceLimits,
  { only, count = only?.length }: WantedPrograms = {},
): AsyncGenerator<readonly ReadProgram[], void> {
  // An element of a list counts at most six times the bytes of its JSON.
  const maxBytes = Math.min(smallBytes, Math.floor(limits.maxValueBytes / 6));
  const query = programsQuery({ maxBytes, isNarrowed: only !== undefined });
  const values = only === undefined ? [tenantId] : [tenantId, only];
  const isAtOnce = count !== undefined && count <= programsPerRound;
  const rounds = isAtOnce ? roundAtOnce(client, query, values) : roundsOf(client, query, values);
  for await (const round of rounds) {
    for (const batch of batchesOf(round, limits.maxProgramBytes)) {
      const large = await readLarge(client, tenantId, limits, batch);
      yield batch.flatMap((row) => programsOf(row, large.get(row[0]), tenantId, limits));
    }
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

const programsPerRound = 64;
const smallBytes = 64 * 1024;
/** The most JSON of a batch; a larger program is one of its own. Parsed rows take ten times the memory of their JSON. */
const maxBatchBytes = 1024 * 1024;

async function* roundAtOnce(
  client: SourceClient,
  query: string,
  values: readonly unknown[],
): AsyncGenerator<readonly TextRow[], void> {
  const rows: TextRow[] = [];
  await forEachRow(client, query, values, (row) => rows.push(row));
  yield rows;
}

/** Fetches the next round while the caller works on this one. */
async function* roundsOf(
  client: SourceClient,
  query: string,
  values: readonly unknown[],
): AsyncGenerator<readonly TextRow[], void> {
  await client.query(`DECLARE programs NO SCROLL CURSOR FOR ${query}`, [...values]);
  const config = {
    text: `FETCH ${programsPerRound} FROM programs`,
    rowMode: "array",
    types: asText,
  } as unknown;
  const fetchRound = () => client.query<(string | null)[]>(config as QueryArrayConfig);
  let next = fetchRound();
  for (let isLast = false; !isLast; ) {
    const { rows } = await next;
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

function* batchesOf(round: readonly TextRow[], maxProgramBytes: number): Generator<readonly TextRow[]> {
  let [batch, batchBytes]: [TextRow[], number] = [[], 0];
  for (const row of round) {
    // The JSON of a program that is too large is never fetched.
    const bytes = Math.min(Number(row[2]), maxProgramBytes);
    if (batch.length > 0 && batchBytes + bytes > maxBatchBytes) {
      yield batch;
      [batch, batchBytes] = [[], 0];
    }
    batch.push(row);
    batchBytes += bytes;
  }
  yield batch;
}

/** The programs of a batch that are not small, by id. The JSON of one that is larger than a program may be is `null`. */
async function readLarge(
  client: SourceClient,
  tenantId: TenantId,
  { maxProgramBytes: maxBytes, maxValueBytes }: SourceLimits,
  batch: readonly TextRow[],
): Promise<ReadonlyMap<string | null | undefined, TextRow>> {
  const found = new Map<string | null | undefined, TextRow>();
  const ids = batch.filter(isLarge).map(([programId]) => programId);
  if (ids.length === 0) return found;
  const query = programsQuery({ maxBytes, maxValueBytes, isNarrowed: true });
  await forEachRow(client, query, [tenantId, ids], (row) => found.set(row[0], row));
  return found;
}

/** Rows of programs that do not exist, or without an id, are not needed. Nor is what is not to be published. */
function isLarge([programId, json, , states]: TextRow): boolean {
  return json === null && programId !== null && states !== null && !areUnpublished(statesOf(states));
}

/** `large`: the row of the second query, if the program needed one. */
function programsOf(
  small: TextRow,
  large: TextRow | undefined,
  tenantId: TenantId,
  { maxValueBytes, maxProgramBytes }: SourceLimits,
): readonly ReadProgram[] {
  const [programId = null, json, bytes, states = null, ...tenants] = large ?? small;
  // The last guard between tenants: a row of another tenant, which a broken view may give, ends the build.
  if (tenants.some((found) => found !== tenantId)) {
    throw new Failure("internal", `A view of partner_source gave a row of another tenant than ${tenantId}.`);
  }
  if (states === null) return [];
  const all = statesOf(states);
  // Rows without an id are a program each, and no child row is theirs (D131).
  if (programId === null)
    return all.map((state) => ({ source: bareSource(null, [state], null), isDuplicate: false }));
  const isDuplicate = all.length > 1;
  const text = `programs: ${bytes} bytes, limit ${maxProgramBytes}`;
  const tooLarge = { code: "program_too_large", view: "programs", column: null, field: null, text } as const;
  if (json === null || json === undefined) {
    return [{ source: bareSource(programId, all, tooLarge), isDuplicate }];
  }
  const rows: ProgramRows = JSON.parse(json);
  const oversize = large === undefined ? null : oversizeIn(rows, maxValueBytes);
  const isTooLarge = Number(bytes) > maxProgramBytes;
  const source = programSource(shortId(programId), rows, oversize ?? (isTooLarge ? tooLarge : null));
  return [{ source, isDuplicate }];
}

function statesOf(states: string | null | undefined): readonly (string | null)[] {
  return JSON.parse(states ?? "[]");
}

function areUnpublished(states: readonly (string | null)[]): boolean {
  return states.every((state) => lifecycle(state).kind === "unpublished");
}

/** A longer id is ill-formed anyway, so this much of it is enough to name it. */
function shortId(programId: string): string {
  return programId.length <= 1000 ? programId : [...programId].slice(0, 1000).join("");
}
