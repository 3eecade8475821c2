import type { RequestColumns } from "./request-columns.ts";
import type { Block } from "./segment.ts";

/** A place in the order of requests, newest first. Requests of one millisecond are ordered by the digests of their ids. */
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
 * Collects the first `limit` of all offered rows, in the order of requests (P68). Rows may be offered in any order. Rows at the
 * same place as the last one are included, so that the next page can begin after that place.
 */
export class TopRows {
  readonly #limit: number;
  readonly #after: Place | undefined;
  #rows: TopRow[] = [];
  /** Older rows are not among the first. */
  #oldestMs = Number.NEGATIVE_INFINITY;
  #hasMore = false;

  constructor(limit: number, after: Place | undefined) {
    this.#limit = limit;
    this.#after = after;
  }

  /** Whether more rows follow the last one. */
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
    // A client may send one id with every request, and many in a millisecond, so the rows at one place are bounded.
    while (end < this.#limit + maxAtOnePlace && isAt(this.#rows[end], last)) end += 1;
    if (end < this.#rows.length) this.#hasMore = true;
    this.#rows.length = end;
    this.#oldestMs = last.timeMs;
  }
}

const maxAtOnePlace = 500;

function isAt(row: Place | undefined, place: Place): boolean {
  return row !== undefined && order(row, place) === 0;
}

/** Negative when `a` comes first. */
function order(a: Place, b: Place): number {
  return b.timeMs - a.timeMs || b.request - a.request;
}
