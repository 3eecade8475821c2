import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import type { ProgramSource } from "../public-program/program-source.ts";
import { compareIds, type ProgramView } from "./contract.ts";
import { programSource } from "./program-row.ts";
import { childViews } from "./source-columns.ts";
import {
  allRows,
  declareCursors,
  fetchRows,
  type Row,
  type SourceCursor,
  sourceCursor,
} from "./source-cursor.ts";
import {
  maxRoundBytes,
  oversizeOf,
  programOversize,
  programsPerRound,
  type SmallViews,
  type SourceLimits,
} from "./source-limits.ts";

/** `isDuplicate`: the tenant has another program of the same id. */
export interface ReadProgram {
  readonly source: ProgramSource;
  readonly isDuplicate: boolean;
}

/** The programs to read: all, or `only` these. */
export interface WantedPrograms {
  readonly only?: readonly string[] | undefined;
  /** How many ids the tenant's rows have at most, those of unknown programs included. A few are read at once. */
  readonly count?: number | undefined;
}

/**
 * Reads a tenant's programs in the order of their ids. A few small ones are read at once. Of more, one query per view streams its
 * rows, which are merged into programs, so memory is bounded by two rounds, however many and large the programs are. A view
 * that is not `small` takes longer.
 */
export async function* readPrograms(
  client: SourceClient,
  tenantId: TenantId,
  limits: SourceLimits,
  small: SmallViews = new Set(),
  { only, count = only?.length }: WantedPrograms = {},
): AsyncGenerator<readonly ReadProgram[], void> {
  const programsCursor = sourceCursor("programs", limits, small);
  const children = childViews.map((view) => new ChildRows(sourceCursor(view, limits, small)));
  const cursors = [programsCursor, ...children.map(({ cursor }) => cursor)];
  const isOneRound = count !== undefined && count <= programsPerRound;
  const areSmall = cursors.every(({ isGuarded }) => !isGuarded);
  const isAtOnce = isOneRound && areSmall;
  if (!isAtOnce) await declareCursors(client, tenantId, cursors, only);
  const fetchRound = (asked: readonly SourceCursor[]): Promise<Round> =>
    isAtOnce ? allRows(client, tenantId, asked, only) : fetchRows(client, tenantId, asked);
  let carried: ProgramSource | undefined;
  let isCarriedDuplicate = false;

  let next = underWay(fetchRound(cursors));
  for (let isComplete = false; !isComplete; ) {
    const round = await next();
    ({ isComplete } = programsCursor);
    for (const child of children) child.add(round);
    const programs = round.get("programs") ?? [];
    // Programs without an id come last and have no place in the order, so the last id before them counts.
    const lastId = programs.findLast(([programId]) => programId !== null)?.[0];
    while (lastId !== undefined && lastId !== null) {
      const behind = children.filter((child) => !child.covers(lastId));
      if (behind.length === 0) break;
      const more = await fetchRound(behind.map(({ cursor }) => cursor));
      for (const child of behind) child.add(more);
    }
    const wanted = children.filter((child) => child.isWanted(2 * programsPerRound, maxRoundBytes));
    const isLast = isComplete;
    const following = async (): Promise<Round> =>
      isLast ? new Map() : await fetchRound([programsCursor, ...wanted.map(({ cursor }) => cursor)]);
    // The next round is fetched while the caller works on this one, unless this one fills the memory alone.
    next = lengthOf(programs) > maxRoundBytes / 2 ? following : underWay(following());

    let ready: ReadProgram[] = [];
    let readyLength = 0;
    for (const row of programs) {
      const [source, length] = mergedProgram(row, programsCursor, children, limits);
      const isDuplicate = carried?.programId === source.programId;
      if (carried !== undefined) {
        ready.push({ source: carried, isDuplicate: isCarriedDuplicate || isDuplicate });
      }
      [carried, isCarriedDuplicate] = [source, isDuplicate];
      // Parsed rows take ten times the memory of their JSON, so few of them are kept back.
      readyLength += length;
      if (readyLength > maxReadyLength) {
        yield ready;
        [ready, readyLength] = [[], 0];
      }
    }
    yield ready;
  }
  if (carried !== undefined) yield [{ source: carried, isDuplicate: isCarriedDuplicate }];
}

type Round = ReadonlyMap<ProgramView, readonly Row[]>;

/** Programs are handed over before their JSON is longer than this. */
const maxReadyLength = 1024 * 1024;

function underWay(round: Promise<Round>): () => Promise<Round> {
  round.catch(() => {});
  return () => round;
}

function lengthOf(rows: readonly Row[]): number {
  let length = 0;
  for (const row of rows) for (const cell of row) length += cell?.length ?? 0;
  return length;
}

/** The program with its children, and the length of all its rows as text. */
function mergedProgram(
  row: Row,
  { isGuarded }: SourceCursor,
  children: readonly ChildRows[],
  limits: SourceLimits,
): readonly [ProgramSource, number] {
  let length = lengthOf([row]);
  let oversize = isGuarded ? programOversize(row, limits) : null;
  const jsons = new Map<ProgramView, string>();
  for (const child of children) {
    const { view, isGuarded } = child.cursor;
    // A guarded query gives the sizes of a row that is too large, and the bytes of all rows of the program.
    const [, , json = null, sizes = null, bytes = null] = child.rowOf(row[0] ?? "") ?? [];
    if (isGuarded) oversize ??= oversizeOf(view, sizes, Number(bytes), limits);
    if (json === null) continue;
    jsons.set(view, json);
    length += json.length;
  }
  const source = programSource(row, (view) => jsons.get(view) ?? "[]", oversize);
  return [source, length];
}

/**
 * The rows of one child query as they arrive, in the order of program ids, in which the programs come, too. Rows of programs that
 * do not exist are passed over.
 */
export class ChildRows {
  readonly cursor: SourceCursor;
  #rows: readonly Row[] = [];
  #at = 0;
  #waitingLength = 0;

  constructor(cursor: SourceCursor) {
    this.cursor = cursor;
  }

  /** Whether to fetch more rows: some are left, and those in memory are few and short. */
  isWanted(waiting: number, maxWaitingLength: number): boolean {
    if (this.cursor.isComplete || this.#rows.length - this.#at >= waiting) return false;
    return this.#waitingLength < maxWaitingLength;
  }

  /** Adds the rows that were fetched, if this query was asked. */
  add(round: Round): void {
    const rows = round.get(this.cursor.view);
    if (rows === undefined) return;
    this.#rows = this.#at >= this.#rows.length ? rows : [...this.#rows.slice(this.#at), ...rows];
    this.#at = 0;
    for (const row of rows) this.#waitingLength += jsonLength(row);
  }

  /** Whether all rows up to this program's have arrived. */
  covers(programId: string): boolean {
    const last = this.#rows.at(-1);
    return this.cursor.isComplete || (last !== undefined && compareIds(last[0] ?? "", programId) >= 0);
  }

  /** The row of the program, if there is one. Must be called in the order of the ids; an id may come twice. */
  rowOf(programId: string): Row | undefined {
    for (let row = this.#rows[this.#at]; row !== undefined; row = this.#rows[this.#at]) {
      const order = compareIds(row[0] ?? "", programId);
      if (order > 0) break;
      if (order === 0) return row;
      this.#at += 1;
      this.#waitingLength -= jsonLength(row);
    }
    return undefined;
  }
}

function jsonLength([, , json]: Row): number {
  return json?.length ?? 0;
}
