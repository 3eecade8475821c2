import type { RequestLogLine } from "../gateway-log/request-line.ts";
import { LineSpool, SpoolFile } from "./line-spool.ts";
import { blockBytes, RequestColumns, rowsPerBlock } from "./request-columns.ts";

/** Rows that were added one after the other. A query whose time is outside the block's skips it as a whole. */
export interface Block {
  readonly segment: Segment;
  readonly number: number;
  rows: number;
  fromMs: number;
  toMs: number;
}

/** A part of the index, which is dropped as a whole when there are too many requests. */
export class Segment implements Disposable {
  readonly #maxBlocks: number;
  readonly blocks: Block[] = [];
  readonly lines = new LineSpool();
  readonly #file = new SpoolFile();
  /** The block that is being filled. Earlier blocks are in the file, and so are all blocks of a finished segment. */
  #columns: RequestColumns | undefined = new RequestColumns();

  constructor(maxBlocks: number) {
    this.#maxBlocks = maxBlocks;
  }

  get isFull(): boolean {
    return this.blocks.length === this.#maxBlocks && this.blocks.at(-1)?.rows === rowsPerBlock;
  }

  get bytes(): number {
    return this.#file.size + this.lines.bytes;
  }

  /** Adds a request. `lines` must have room for its line. */
  add(line: RequestLogLine, text: Uint8Array): void {
    const block = this.#openBlock();
    const timeMs = Date.parse(line.time);
    this.#columns?.put(block.rows, line, timeMs, this.lines.chunk, this.lines.at);
    this.lines.append(text);
    block.rows += 1;
    if (timeMs < block.fromMs) block.fromMs = timeMs;
    if (timeMs > block.toMs) block.toMs = timeMs;
  }

  /** The columns of a block, read into `scratch`, which the next call overwrites, unless the block is still in memory. */
  columns(block: Block, scratch: RequestColumns): RequestColumns {
    if (block.number === this.blocks.length - 1 && this.#columns !== undefined) return this.#columns;
    this.#file.read(block.number * blockBytes, scratch.bytes);
    return scratch;
  }

  /** Moves the rest of a full segment from memory to the disk. */
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
