import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import type { ProgramSource } from "../public-program/program-source.ts";
import { compareIds } from "./contract.ts";
import { programSource } from "./program-row.ts";
import { type ChildName, childViews } from "./source-columns.ts";
import {
  allRows,
  type CursorName,
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
  type SourceLimits,
  type SourceSizes,
} from "./source-limits.ts";

/** `isDuplicate`: the tenant has another program of the same id. */
export interface ReadProgram {
  readonly source: ProgramSource;
  readonly isDuplicate: boolean;
}

/**
 * Reads a tenant's programs in the order of their ids. One query per view streams its rows, which are merged into programs, so
 * memory is bounded by two rounds, however many and large the programs are. A view without `sizes` counts as large, which takes
 * longer.
 */
export async function* readPrograms(
  client: SourceClient,
  tenantId: TenantId,
  limits: SourceLimits,
  sizes: SourceSizes = {},
  only?: readonly string[],
): AsyncGenerator<readonly ReadProgram[], void> {
  const cursors = cursorNames.map((name) => sourceCursor(name, limits, sizes));
  const isOneRound = only !== undefined && only.length <= programsPerRound;
  const areSmall = cursors.every(({ isGuarded }) => !isGuarded);
  const isAtOnce = isOneRound && areSmall;
  if (!isAtOnce) await declareCursors(client, tenantId, cursors, only);
  const fetchRound = (isAsked: (cursor: SourceCursor) => boolean): Promise<Round> => {
    const asked = cursors.filter(isAsked);
    return isAtOnce ? allRows(client, tenantId, asked, only) : fetchRows(client, tenantId, asked);
  };
  const [programsCursor, ...childCursors] = cursors;
  const children: Children = new Map(childNames.map((name) => [name, new ChildCursor()]));
  let carried: ProgramSource | undefined;
  let isCarriedDuplicate = false;

  let next = underWay(fetchRound(() => true));
  for (let isComplete = false; !isComplete; ) {
    const round = await next();
    isComplete = programsCursor?.isComplete !== false;
    fill(children, round, childCursors);
    const programs = round.get("programs") ?? [];
    // Programs without an id come last and have no place in the order, so the last id before them counts.
    const lastId = programs.findLast(([programId]) => programId !== null)?.[0];
    while (lastId !== undefined && lastId !== null) {
      const behind = childCursors.filter(({ name }) => children.get(name)?.covers(lastId) === false);
      if (behind.length === 0) break;
      fill(children, await fetchRound((cursor) => behind.includes(cursor)), childCursors);
    }
    const wanted = childCursors.filter(({ name }) =>
      children.get(name)?.isWanted(2 * programsPerRound, maxRoundBytes),
    );
    const isLast = isComplete;
    const following = async (): Promise<Round> =>
      isLast ? new Map() : await fetchRound((cursor) => wanted.includes(cursor) || cursor === programsCursor);
    // The next round is fetched while the caller works on this one, unless this one fills the memory alone.
    next = lengthOf(programs) > maxRoundBytes / 2 ? following : underWay(following());

    let ready: ReadProgram[] = [];
    let readyLength = 0;
    for (const row of programs) {
      const [source, length] = mergedProgram(row, programsCursor, children, childCursors, limits);
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

type Round = ReadonlyMap<CursorName, readonly Row[]>;
type Children = ReadonlyMap<CursorName, ChildCursor>;

const childNames = Object.keys(childViews) as ChildName[];
const cursorNames: readonly CursorName[] = ["programs", ...childNames];
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

function fill(children: Children, round: Round, cursors: readonly SourceCursor[]): void {
  for (const { name, isGuarded, isComplete } of cursors) {
    const rows = round.get(name);
    if (rows === undefined) continue;
    const childRows = rows.map(([programId, , json, sizes, bytes]) => {
      const row = { programId: programId ?? "", json: json ?? "[]" };
      return isGuarded ? { ...row, sizes: sizes ?? null, bytes: Number(bytes) } : row;
    });
    children.get(name)?.add(childRows, isComplete);
  }
}

/** The program with its children, and the length of all its rows as text. */
function mergedProgram(
  row: Row,
  programsCursor: SourceCursor | undefined,
  children: Children,
  childCursors: readonly SourceCursor[],
  limits: SourceLimits,
): readonly [ProgramSource, number] {
  let length = 0;
  let oversize = programsCursor?.isGuarded === true ? programOversize(row, limits) : undefined;
  const own = new Map<CursorName, ChildRow | undefined>();
  for (const { name, view } of childCursors) {
    const child = children.get(name)?.rowOf(row[0] ?? "");
    own.set(name, child);
    length += child?.json.length ?? 0;
    if (child?.bytes !== undefined) oversize ??= oversizeOf(view, child.sizes ?? null, child.bytes, limits);
  }
  const source = programSource(row, (name) => own.get(name)?.json ?? "[]", oversize);
  return [source, length + lengthOf([row])];
}

interface ChildRow {
  readonly programId: string;
  readonly json: string;
  /** From guarded queries only: the sizes of a row that is too large, and the bytes of all rows of the program. */
  readonly sizes?: string | null;
  readonly bytes?: number;
}

/**
 * The rows of one child query as they arrive, in the order of program ids, in which the programs come, too. Rows of programs that
 * do not exist are passed over.
 */
export class ChildCursor {
  #rows: readonly ChildRow[] = [];
  #at = 0;
  #isComplete = false;
  #waitingLength = 0;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether to fetch more rows: some are left, and those in memory are few and short. */
  isWanted(waiting: number, maxWaitingLength = Number.POSITIVE_INFINITY): boolean {
    if (this.#isComplete || this.#rows.length - this.#at >= waiting) return false;
    return this.#waitingLength < maxWaitingLength;
  }

  add(rows: readonly ChildRow[], isComplete: boolean): void {
    this.#rows = this.#at >= this.#rows.length ? rows : [...this.#rows.slice(this.#at), ...rows];
    this.#at = 0;
    this.#isComplete = isComplete;
    for (const { json } of rows) this.#waitingLength += json.length;
  }

  /** Whether all rows up to this program's have arrived. */
  covers(programId: string): boolean {
    const last = this.#rows.at(-1);
    return this.#isComplete || (last !== undefined && compareIds(last.programId, programId) >= 0);
  }

  /** The row of the program, if there is one. Must be called in the order of the ids; an id may come twice. */
  rowOf(programId: string): ChildRow | undefined {
    for (let row = this.#rows[this.#at]; row !== undefined; row = this.#rows[this.#at]) {
      const order = compareIds(row.programId, programId);
      if (order > 0) break;
      if (order === 0) return row;
      this.#at += 1;
      this.#waitingLength -= row.json.length;
    }
    return undefined;
  }
}
