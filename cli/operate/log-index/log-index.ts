import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type GatewayNote,
  gatewayNote,
  type RequestLogLine,
  requestLine,
} from "../gateway-log/request-line.ts";
import { maxLineBytes } from "./line-spool.ts";
import { RequestColumns } from "./request-columns.ts";
import { isWantedLine, type RequestFilter, rowTest } from "./request-filter.ts";
import { type Block, Segment } from "./segment.ts";
import { type Place, placeOf, TopRows } from "./top-rows.ts";

export interface RequestQuery {
  readonly filter: RequestFilter;
  /** Only requests after this place, in the order from the newest to the oldest. */
  readonly after?: Place | undefined;
  readonly limit: number;
}

export interface RequestPage {
  /** Newest first. */
  readonly lines: readonly RequestLogLine[];
  /** The number of matching requests. On other pages it compares only digests of ids, so it may be a little too high. */
  readonly total: number;
  /** The place after which the next page begins; `undefined` on the last page. */
  readonly next: Place | undefined;
}

/** A segment has half a million requests. All together hold about 8 GB of log. */
const defaultBounds = { segments: 32, blocksPerSegment: 64 };
/** Enough, because gateways use one store or two. */
const maxNotes = 100;
/** A search yields to other work after so many blocks. Each takes about half a millisecond. */
const blocksPerTurn = 16;

/**
 * The requests of the gateway's logs, to be searched by time, ids and status. They lie in temporary files, so that memory does
 * not grow with the logs. When there are more requests than the index may hold, it drops the oldest segment (P67).
 */
export class LogIndex implements Disposable {
  readonly #bounds: { readonly segments: number; readonly blocksPerSegment: number };
  readonly #segments: Segment[] = [];
  readonly #scratch = new RequestColumns();
  /** The end of the last query. Queries share the scratch columns, so they run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #isDropping = false;
  /** The newest of each kind and store. */
  readonly #notes = new Map<string, GatewayNote>();

  constructor(bounds = defaultBounds) {
    this.#bounds = bounds;
  }

  get requests(): number {
    return this.#blocks().reduce((sum, { rows }) => sum + rows, 0);
  }

  /** How much the index takes on the disk. */
  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether requests were dropped for lack of room. */
  get isDropping(): boolean {
    return this.#isDropping;
  }

  get covers(): { readonly from: string; readonly to: string } | null {
    const blocks = this.#blocks();
    if (blocks.length === 0) return null;
    const from = Math.min(...blocks.map(({ fromMs }) => fromMs));
    const to = Math.max(...blocks.map(({ toMs }) => toMs));
    return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  }

  /** The newest note of each kind and store that gateways wrote about themselves. */
  get notes(): readonly GatewayNote[] {
    return [...this.#notes.values()];
  }

  /** Adds the gateways' notes in these whole lines, and none of the requests. */
  addNotes(lines: Buffer): void {
    for (const text of lines.toString("utf8").split("\n")) this.#take(gatewayNote(text));
  }

  /** Adds the requests in these whole lines, and returns their number. */
  async add(lines: Buffer): Promise<number> {
    let added = 0;
    for (let from = 0; from < lines.length; ) {
      const lineFeed = lines.indexOf(0x0a, from);
      const end = lineFeed === -1 ? lines.length : lineFeed;
      const text = lines.subarray(from, end);
      from = end + 1;
      if (text.length > maxLineBytes) continue;
      const line = requestLine(text.toString("utf8"));
      if (line === undefined) {
        this.#take(gatewayNote(text.toString("utf8")));
        continue;
      }
      let segment = this.#openSegment();
      while (!segment.lines.hasRoom(text.length)) {
        await segment.lines.room(text.length);
        segment = this.#openSegment();
      }
      segment.add(line, text);
      added += 1;
    }
    return added;
  }

  /** Finds the newest requests that match the filter, and counts all that do. */
  async find({ filter, after, limit }: RequestQuery, signal: AbortSignal): Promise<RequestPage> {
    const matches = rowTest(filter);
    const top = new TopRows(limit, after);
    let total = 0;
    await this.scan(filter, signal, (columns, block) => {
      for (let row = 0; row < block.rows; row += 1) {
        if (!matches(columns, row)) continue;
        total += 1;
        top.offer(columns, block, row);
      }
    });
    const rows = top.rows();
    const lines = rows.flatMap(({ block, chunk, at }) => {
      // While other work ran, the oldest segment may have been dropped and its files closed.
      if (!this.#segments.includes(block.segment)) return [];
      const line = requestLine(block.segment.lines.line(chunk, at));
      return line !== undefined && isWantedLine(line, filter) ? [line] : [];
    });
    const last = rows.at(-1);
    const next = top.hasMore && last !== undefined ? placeOf(last) : undefined;
    // Two ids may share a digest. Lines of the other id were filtered out above, so they are subtracted here.
    return { lines, total: total - (rows.length - lines.length), next };
  }

  /** Visits every block that may hold requests of this time, the newest first. */
  async scan(
    { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY }: RequestFilter,
    signal: AbortSignal,
    visit: (columns: RequestColumns, block: Block) => void,
  ): Promise<void> {
    const work = this.#last.then(async () => {
      const blocks = this.#blocks().filter((block) => block.toMs >= fromMs && block.fromMs < toMs);
      blocks.sort((a, b) => b.toMs - a.toMs);
      for (const [at, block] of blocks.entries()) {
        if (at % blocksPerTurn === blocksPerTurn - 1) await nextTurn();
        signal.throwIfAborted();
        if (this.#segments.includes(block.segment)) visit(block.segment.columns(block, this.#scratch), block);
      }
    });
    this.#last = work.catch(() => {});
    await work;
  }

  #take(note: GatewayNote | undefined): void {
    if (note === undefined) return;
    const key = `${note.kind} ${note.storeId} ${note.otherStoreId}`;
    const known = this.#notes.get(key);
    if (known === undefined && this.#notes.size >= maxNotes) return;
    if (known === undefined || known.time < note.time) this.#notes.set(key, note);
  }

  #blocks(): Block[] {
    return this.#segments.flatMap(({ blocks }) => blocks);
  }

  #openSegment(): Segment {
    const last = this.#segments.at(-1);
    if (last !== undefined && !last.isFull) return last;
    last?.finish();
    const segment = new Segment(this.#bounds.blocksPerSegment);
    this.#segments.push(segment);
    if (this.#segments.length > this.#bounds.segments) this.#dropOldest();
    return segment;
  }

  #dropOldest(): void {
    const newest = (segment: Segment): number => Math.max(...segment.blocks.map(({ toMs }) => toMs));
    const full = this.#segments.slice(0, -1);
    const [oldest] = full.sort((a, b) => newest(a) - newest(b));
    if (oldest === undefined) return;
    this.#segments.splice(this.#segments.indexOf(oldest), 1);
    this.#isDropping = true;
    oldest[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    for (const segment of this.#segments.splice(0)) segment[Symbol.dispose]();
  }
}
