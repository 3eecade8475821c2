import { compareIds } from "./compare-ids.ts";

/** One fetched row of a child query: the program, and its tuples as JSON. */
export interface ChildRow {
  readonly programId: string;
  readonly json: string;
}

/**
 * The rows of one child query as they arrive, ordered by program id, merged with the programs in the same order.
 * Counts the programs that have rows here but were not given by the programs' query.
 */
export class ChildCursor {
  #rows: readonly ChildRow[] = [];
  #at = 0;
  #isComplete = false;
  #merged: string | undefined;
  #strays = 0;
  #firstStray: string | undefined;

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether there are more rows to come and fewer than so many are waiting to be merged. */
  isWanted(waiting: number): boolean {
    return !this.#isComplete && this.#rows.length - this.#at < waiting;
  }

  /** How many such programs, and the first one's id. */
  get strays(): { readonly count: number; readonly first: string | undefined } {
    return { count: this.#strays, first: this.#firstStray };
  }

  add(rows: readonly ChildRow[], isComplete: boolean): void {
    this.#rows = this.#at >= this.#rows.length ? rows : [...this.#rows.slice(this.#at), ...rows];
    this.#at = 0;
    this.#isComplete = isComplete;
  }

  /** Whether everything up to and including this program has arrived. */
  covers(programId: string): boolean {
    const last = this.#rows.at(-1);
    return this.#isComplete || (last !== undefined && compareIds(last.programId, programId) >= 0);
  }

  /** The tuples of the program as JSON, `[]` when there are none. Called in the order of the ids; an id may come twice. */
  jsonOf(programId: string): string {
    for (let row = this.#rows[this.#at]; row !== undefined; row = this.#rows[this.#at]) {
      const order = compareIds(row.programId, programId);
      if (order > 0) break;
      if (order === 0) {
        this.#merged = programId;
        return row.json;
      }
      this.#pass(row);
    }
    return "[]";
  }

  /** Passes over what is left once the last program has been merged. */
  drain(): void {
    for (let row = this.#rows[this.#at]; row !== undefined; row = this.#rows[this.#at]) this.#pass(row);
  }

  #pass(row: ChildRow): void {
    this.#at += 1;
    if (row.programId === this.#merged) return;
    this.#strays += 1;
    this.#firstStray ??= row.programId;
  }
}
