import { compareIds } from "./compare-ids.ts";

/** A row of a child query: a program, and its tuples as JSON. */
export interface ChildRow {
  readonly programId: string;
  readonly json: string;
  /** Given by guarded queries: the sizes of a row that is too large. */
  readonly sizes?: string | null;
  /** Given by guarded queries: the bytes of all rows of the program. */
  readonly bytes?: number;
}

/**
 * The rows of one child query as they arrive. They are in the order of program ids, and so are the programs that they are
 * merged with. Rows of programs that do not exist are passed over.
 */
export class ChildCursor {
  #rows: readonly ChildRow[] = [];
  #at = 0;
  #isComplete = false;
  #waitingLength = 0;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether to fetch more rows: some are left, and those that wait to be merged are fewer and shorter than the bounds. */
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

  /** The tuples of the program as JSON, `[]` when there are none. */
  jsonOf(programId: string): string {
    return this.rowOf(programId)?.json ?? "[]";
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
