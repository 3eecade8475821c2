import type { QueryArrayConfig, QueryArrayResult } from "pg";
import { Failure } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import type { ProgramSource } from "../public-program/program-source.ts";
import { ChildCursor } from "./child-cursor.ts";
import type { SourceClient } from "./connect.ts";
import { programSource } from "./program-row.ts";
import { type ChildName, childQueries, childViews, programsQuery } from "./source-queries.ts";

/** A program with its children; `isDuplicate` when the tenant has another one of the same id. */
export interface ReadProgram {
  readonly source: ProgramSource;
  readonly isDuplicate: boolean;
}

/** Rows of programs that do not exist, per view. */
export interface StrayRows {
  readonly view: string;
  readonly programs: number;
  readonly firstProgramId: string;
}

/** Programs fetched at a time: two such rounds must fit into V8's young generation, or each is copied to the old one. */
const programsPerRound = 64;

/**
 * Reads a tenant's programs by id, with one query per view whose rows are merged as they stream in: never a query per
 * program, and memory bounded by two rounds however many programs there are. Returns the stray rows at the end.
 * Throws `internal` when a view gives a row of another tenant.
 */
export async function* readPrograms(
  client: SourceClient,
  tenantId: TenantId,
): AsyncGenerator<readonly ReadProgram[], readonly StrayRows[]> {
  const queries = [["programs", programsQuery], ...Object.entries(childQueries)] as const;
  for (const [name, query] of queries) {
    await client.query(`DECLARE "${name}" NO SCROLL CURSOR FOR ${query}`, [tenantId]);
  }
  const children = new Map(childNames.map((name) => [name, new ChildCursor()]));
  let carried: ProgramSource | undefined;
  let isCarriedDuplicate = false;

  let next = fetchRound(client, tenantId, ["programs", ...childNames]);
  for (let isComplete = false; !isComplete; ) {
    const round = await next;
    isComplete = round.programs.length < programsPerRound;
    fill(children, round);
    // A program without an id comes last and has no place in the order; it must not hide the ones before it.
    const lastId = round.programs.findLast(([programId]) => programId !== null)?.[0];
    while (lastId !== undefined && lastId !== null) {
      const behind = childNames.filter((name) => children.get(name)?.covers(lastId) === false);
      if (behind.length === 0) break;
      fill(children, await fetchRound(client, tenantId, behind));
    }
    // The next round is on its way while the caller works on this one.
    const wanted = childNames.filter((name) => children.get(name)?.isWanted(2 * programsPerRound));
    next = fetchRound(client, tenantId, isComplete ? wanted : ["programs", ...wanted]);
    next.catch(() => {});

    const ready: ReadProgram[] = [];
    for (const row of round.programs) {
      const source = programSource(row, (name) => children.get(name)?.jsonOf(row[0] ?? "") ?? "[]");
      const isDuplicate = carried?.programId === source.programId;
      if (carried !== undefined) {
        ready.push({ source: carried, isDuplicate: isCarriedDuplicate || isDuplicate });
      }
      [carried, isCarriedDuplicate] = [source, isDuplicate];
    }
    yield ready;
  }
  if (carried !== undefined) yield [{ source: carried, isDuplicate: isCarriedDuplicate }];
  return drainStrays(client, tenantId, children, await next);
}

type Row = readonly (string | null)[];
type CursorName = "programs" | ChildName;
interface Round {
  readonly programs: readonly Row[];
  readonly children: ReadonlyMap<ChildName, readonly Row[]>;
}

const childNames = Object.keys(childQueries) as ChildName[];
const asText = { getTypeParser: () => (text: unknown) => text };

/** One round trip for all the cursors. */
async function fetchRound(
  client: SourceClient,
  tenantId: TenantId,
  names: readonly CursorName[],
): Promise<Round> {
  if (names.length === 0) return { programs: [], children: new Map() };
  const text = names.map((name) => `FETCH ${programsPerRound} FROM "${name}"`).join(";");
  const config = { text, rowMode: "array", types: asText } as unknown as QueryArrayConfig;
  const answer = await client.query<(string | null)[]>(config);
  const results: readonly QueryArrayResult<(string | null)[]>[] = Array.isArray(answer) ? answer : [answer];
  const rowsOf = new Map(names.map((name, at) => [name, results[at]?.rows ?? []]));
  for (const [name, rows] of rowsOf) {
    // The last guard of tenant isolation in the source: a broken view must not cross tenants.
    const foreign = rows.find((row) => row[1] !== tenantId);
    if (foreign !== undefined) {
      throw new Failure(
        "internal",
        `partner_source.${viewOf(name)} gave a row of another tenant than asked for.`,
      );
    }
  }
  const { programs = [], ...children } = Object.fromEntries(rowsOf);
  return { programs, children: new Map(Object.entries(children) as [ChildName, Row[]][]) };
}

function fill(cursors: ReadonlyMap<ChildName, ChildCursor>, round: Round): void {
  for (const [name, rows] of round.children) {
    const childRows = rows.map(([programId, , json]) => ({ programId: programId ?? "", json: json ?? "[]" }));
    cursors.get(name)?.add(childRows, rows.length < programsPerRound);
  }
}

async function drainStrays(
  client: SourceClient,
  tenantId: TenantId,
  cursors: ReadonlyMap<ChildName, ChildCursor>,
  last: Round,
): Promise<readonly StrayRows[]> {
  for (let round = last; ; ) {
    fill(cursors, round);
    for (const cursor of cursors.values()) cursor.drain();
    const open = childNames.filter((name) => cursors.get(name)?.isComplete === false);
    if (open.length === 0) break;
    round = await fetchRound(client, tenantId, open);
  }
  return childNames.flatMap((name) => {
    const { count, first } = cursors.get(name)?.strays ?? { count: 0, first: undefined };
    return first === undefined ? [] : [{ view: childViews[name], programs: count, firstProgramId: first }];
  });
}

function viewOf(name: CursorName): string {
  return name === "programs" ? "programs" : childViews[name];
}
