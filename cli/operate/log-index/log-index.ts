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

/** What is to be shown of the requests that a filter leaves. */
export interface RequestQuery {
  readonly filter: RequestFilter;
  /** Only what comes after this place, newest first. */
  readonly after?: Place | undefined;
  readonly limit: number;
}

export interface RequestPage {
  /** Newest first. */
  readonly lines: readonly RequestLogLine[];
  /** All that the filter leaves; of ids that are not shown on this page some may only have the digest of the one that is asked for. */
  readonly total: number;
  /** Where the next page begins; `undefined` on the last. */
  readonly next: Place | undefined;
}

/** Half a million requests each; together about 8 GB of log. */
const defaultBounds = { segments: 32, blocksPerSegment: 64 };
/** Gateways go by one store or two. */
const maxNotes = 100;
/** So often others get their turn while blocks are looked through; each takes about half a millisecond. */
const blocksPerTurn = 16;

/**
 * Requests of the gateway's logs, to be asked by time and other things. What it holds lies in temporary files, so that
 * memory does not grow with the logs; P67: when there are more requests than it may hold, the oldest part of them is dropped.
 */
export class LogIndex implements Disposable {
  readonly #bounds: { readonly segments: number; readonly blocksPerSegment: number };
  readonly #segments: Segment[] = [];
  readonly #scratch = new RequestColumns();
  /** Queries share the scratch columns, so they take turns. */
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

  /** On disk. */
  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Whether it no longer has all that it was given. */
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

  /** What gateways said of themselves: of each kind and store the newest. */
  get notes(): readonly GatewayNote[] {
    return [...this.#notes.values()];
  }

  /** Takes what gateways say of themselves, and no request. */
  addNotes(lines: Buffer): void {
    for (const text of lines.toString("utf8").split("\n")) this.#take(gatewayNote(text));
  }

  /** Takes the requests out of whole lines; how many there were. */
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

  /** The newest requests that pass the filter, and how many there are. */
  async find({ filter, after, limit }: RequestQuery, signal: AbortSignal): Promise<RequestPage> {
    const passes = rowTest(filter);
    const top = new TopRows(limit, after);
    let total = 0;
    await this.scan(filter, signal, (columns, block) => {
      for (let row = 0; row < block.rows; row += 1) {
        if (!passes(columns, row)) continue;
        total += 1;
        top.offer(columns, block, row);
      }
    });
    const rows = top.rows();
    const lines = rows.flatMap(({ block, chunk, at }) => {
      // While others had their turn, the oldest part may have been dropped, and its files closed.
      if (!this.#segments.includes(block.segment)) return [];
      const line = requestLine(block.segment.lines.line(chunk, at));
      return line !== undefined && isWantedLine(line, filter) ? [line] : [];
    });
    const last = rows.at(-1);
    const next = top.hasMore && last !== undefined ? placeOf(last) : undefined;
    // Of ids of one digest those are left out by now that were not asked for.
    return { lines, total: total - (rows.length - lines.length), next };
  }

  /** Visits every block that may hold requests of that time, the newest first. */
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
