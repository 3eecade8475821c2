import type { RequestLogLine } from "../gateway-log/request-line.ts";
import { LineSpool } from "./line-spool.ts";
import { blockBytes, RequestColumns, rowsPerBlock } from "./request-columns.ts";
import { SpoolFile } from "./spool-file.ts";

/** Rows of one time, to look at or to pass over as a whole. */
export interface Block {
  readonly segment: Segment;
  readonly number: number;
  rows: number;
  fromMs: number;
  toMs: number;
}

/** A part of an index: what is dropped at once when there are too many requests. */
export class Segment implements Disposable {
  readonly #maxBlocks: number;
  readonly blocks: Block[] = [];
  readonly lines = new LineSpool();
  readonly #file = new SpoolFile();
  /** The block that is being filled; those before are in the file, and all of a finished segment. */
  #columns: RequestColumns | undefined = new RequestColumns();

  constructor(maxBlocks: number) {
    this.#maxBlocks = maxBlocks;
  }

  get isFull(): boolean {
    return this.blocks.length === this.#maxBlocks && this.blocks.at(-1)?.rows === rowsPerBlock;
  }

  /** On disk. */
  get bytes(): number {
    return this.#file.size + this.lines.bytes;
  }

  /** The line must have room in `lines`. */
  add(line: RequestLogLine, text: Uint8Array): void {
    const block = this.#openBlock();
    const timeMs = Date.parse(line.time);
    this.#columns?.put(block.rows, line, timeMs, this.lines.chunk, this.lines.at);
    this.lines.append(text);
    block.rows += 1;
    if (timeMs < block.fromMs) block.fromMs = timeMs;
    if (timeMs > block.toMs) block.toMs = timeMs;
  }

  /** The columns of a block: those in `scratch`, which the next call overwrites, or the ones that are being filled. */
  columns(block: Block, scratch: RequestColumns): RequestColumns {
    if (block.number === this.blocks.length - 1 && this.#columns !== undefined) return this.#columns;
    this.#file.read(block.number * blockBytes, scratch.bytes);
    return scratch;
  }

  /** Puts out of memory what is left in it: it is full. */
  finish(): void {
    if (this.#columns === undefined) return;
    this.#file.append(this.#columns.bytes);
    this.#columns = undefined;
    this.lines.seal();
  }

  #openBlock(): Block {
    const last = this.blocks.at(-1);
    if (last !== undefined && last.rows < rowsPerBlock) return last;
    if (last !== undefined && this.#columns !== undefined) this.#file.append(this.#columns.bytes);
    const block = {
      segment: this,
      number: this.blocks.length,
      rows: 0,
      fromMs: Number.POSITIVE_INFINITY,
      toMs: Number.NEGATIVE_INFINITY,
    };
    this.blocks.push(block);
    return block;
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
    this.lines[Symbol.dispose]();
  }
}
