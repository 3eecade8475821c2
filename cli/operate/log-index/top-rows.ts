import type { RequestColumns } from "./request-columns.ts";
import type { Block } from "./segment.ts";

/** A place in the order of requests, newest first; those of one millisecond are ordered by their ids' digests. */
export interface Place {
  readonly timeMs: number;
  readonly request: number;
}

export interface TopRow extends Place {
  readonly block: Block;
  readonly chunk: number;
  readonly at: number;
}

export function placeOf({ timeMs, request }: Place): Place {
  return { timeMs, request };
}

/**
 * P68: the first rows in the order of requests of all that are offered, in any order. Rows at the same place as the last one come
 * along, so that the next page can begin behind that place.
 */
export class TopRows {
  readonly #limit: number;
  readonly #after: Place | undefined;
  #rows: TopRow[] = [];
  /** What is older than this is not among the first. */
  #oldestMs = Number.NEGATIVE_INFINITY;
  #hasMore = false;

  constructor(limit: number, after: Place | undefined) {
    this.#limit = limit;
    this.#after = after;
  }

  /** Whether rows were left out behind the last one. */
  get hasMore(): boolean {
    this.#cut();
    return this.#hasMore;
  }

  offer(columns: RequestColumns, block: Block, row: number): void {
    const timeMs = columns.timeMs[row] ?? 0;
    if (this.#after !== undefined && timeMs > this.#after.timeMs) return;
    if (timeMs < this.#oldestMs) {
      this.#hasMore = true;
      return;
    }
    const request = columns.request[row] ?? 0;
    if (this.#after !== undefined && order({ timeMs, request }, this.#after) <= 0) return;
    const chunk = columns.lineChunk[row] ?? 0;
    const at = columns.lineAt[row] ?? 0;
    this.#rows.push({ timeMs, request, block, chunk, at });
    if (this.#rows.length >= 4 * this.#limit + 1000) this.#cut();
  }

  rows(): readonly TopRow[] {
    this.#cut();
    return this.#rows;
  }

  #cut(): void {
    this.#rows.sort(order);
    const last = this.#rows[this.#limit - 1];
    if (last === undefined) return;
    let end = this.#limit;
    // Bounded: a client may send one id with every request, and many in a millisecond.
    while (end < this.#limit + maxTwins && isAt(this.#rows[end], last)) end += 1;
    if (end < this.#rows.length) this.#hasMore = true;
    this.#rows.length = end;
    this.#oldestMs = last.timeMs;
  }
}

const maxTwins = 500;

function isAt(row: Place | undefined, place: Place): boolean {
  return row !== undefined && order(row, place) === 0;
}

/** Negative when `a` comes first. */
function order(a: Place, b: Place): number {
  return b.timeMs - a.timeMs || b.request - a.request;
}
