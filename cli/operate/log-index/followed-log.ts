import type { Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { unlessErrno } from "../../../core/file-store/file-error.ts";
import { isCompressedLog, openLog } from "../gateway-log/open-log.ts";
import { bytesOf, readLines, readLinesBack, wholeLines, wholeLinesEnd } from "../gateway-log/whole-lines.ts";

/** Takes whole lines, and returns how many requests were in them. */
type TakeLines = (lines: Buffer) => Promise<number>;

/** A log that is read as it grows. */
interface OpenLog {
  readonly file: FileHandle;
  readonly ino: number;
  content: KnownContent;
  /** The time of its last change when it was last read. */
  mtimeMs: number;
}

/** The name of a log. A rotation may put another file behind it at any time. */
export class FollowedLog {
  readonly name: string;
  readonly #contents: KnownContent[];
  readonly #take: TakeLines;
  #open: OpenLog | undefined;
  /**
   * The version of the compressed log that was last read, and its fault. It is not read again while the version is the same.
   */
  #readVersion = "";
  #readFailure: unknown;
  /** The bytes of the file, and how many of them were read. They show the progress. */
  size = 0;
  read = 0;
  /** When the file was last changed. The newest log is read first. */
  changedMs = 0;

  /** `contents` is shared by all names, since a rotation moves a log from one name to the next. */
  constructor(name: string, contents: KnownContent[], take: TakeLines) {
    this.name = name;
    this.#contents = contents;
    this.#take = take;
  }

  async look(): Promise<void> {
    const found = await statOf(this.name);
    this.size = found?.size ?? 0;
    this.changedMs = found?.mtimeMs ?? 0;
  }

  /** Reads new lines. Throws when the log can't be read. */
  async refresh(signal: AbortSignal): Promise<void> {
    const found = await statOf(this.name);
    if (this.#open !== undefined && found?.ino !== this.#open.ino) await this.#leave(signal);
    if (found === undefined) return;
    this.size = found.size;
    if (this.#open !== undefined) return await this.#goOn(found, signal);
    if (versionOf(found) === this.#readVersion) {
      if (this.#readFailure !== undefined) throw this.#readFailure;
      return;
    }
    const file = await open(this.name, "r");
    const beginning = await bytesOf(file, 0, prefixBytes).catch(async (error: unknown) => {
      await file.close();
      throw error;
    });
    if (isCompressedLog(this.name, beginning)) {
      await file.close();
      this.#readVersion = versionOf(found);
      this.#readFailure = undefined;
      await this.#readCompressed(signal).catch((error: unknown) => {
        this.#readFailure = error;
        throw error;
      });
      this.read = found.size;
      return;
    }
    const content = this.#contentOf(beginning);
    this.#open = { file, ino: found.ino, content, mtimeMs: Number.NaN };
    await this.#goOn(found, signal);
  }

  async close(): Promise<void> {
    await this.#open?.file.close();
    this.#open = undefined;
  }

  /** Reads a log that was renamed to its end, then closes it. */
  async #leave(signal: AbortSignal): Promise<void> {
    try {
      await this.#readOn(signal);
    } finally {
      await this.close();
      this.read = 0;
    }
  }

  async #goOn({ size, mtimeMs }: Stats, signal: AbortSignal): Promise<void> {
    const opened = this.#open;
    if (opened === undefined) return;
    const { consumed, unread } = opened.content;
    if (size === consumed && unread === 0 && mtimeMs === opened.mtimeMs) return;
    opened.mtimeMs = mtimeMs;
    // The log may have been copied and emptied, and may even be longer again. Its beginning shows that.
    const beginning = await bytesOf(opened.file, 0, prefixBytes);
    if (size < opened.content.consumed || !isBeginning(opened.content.prefix, beginning)) {
      opened.content = this.#contentOf(beginning);
    }
    await this.#readOn(signal);
  }

  async #readOn(signal: AbortSignal): Promise<void> {
    const opened = this.#open;
    if (opened === undefined) return;
    const { file, content } = opened;
    await this.#readBack(file, content, signal);
    const take = async (lines: Buffer): Promise<void> => {
      noteRead(content, lines, await this.#take(lines));
      this.read = content.consumed - content.unread;
    };
    // The position belongs to the content, which may have been read further under another name.
    content.consumed = await readLines(file, content.consumed, take, signal);
    this.read = content.consumed - content.unread;
  }

  /** Reads a large log that is new here, or the rest of one, from its end to its beginning. */
  async #readBack(file: FileHandle, content: KnownContent, signal: AbortSignal): Promise<void> {
    const { size } = await file.stat();
    if (content.consumed === 0 && size > minBackBytes) {
      content.prefix = await bytesOf(file, 0, prefixBytes);
      content.consumed = await wholeLinesEnd(file, size);
      content.unread = content.consumed;
    }
    const take = async (lines: Buffer, from: number): Promise<boolean> => {
      content.requests += await this.#take(lines);
      content.unread = from;
      this.read = content.consumed - from;
      return true;
    };
    await readLinesBack(file, content.unread, take, signal);
    content.unread = 0;
  }

  async #readCompressed(signal: AbortSignal): Promise<void> {
    const lines = wholeLines(openLog({ name: this.name, stdin: emptyInput() }, signal));
    let content: KnownContent | undefined;
    let position = 0;
    let known = { consumed: 0, unread: 0 };
    for await (const block of lines) {
      if (content === undefined) {
        content = this.#contentOf(block);
        known = { consumed: content.consumed, unread: content.unread };
      }
      const missed = block.subarray(0, Math.max(0, known.unread - position));
      const fresh = block.subarray(Math.max(0, known.consumed - position));
      position += block.length;
      if (missed.length > 0) content.requests += await this.#take(missed);
      if (fresh.length > 0) noteRead(content, fresh, await this.#take(fresh));
    }
    if (content !== undefined) content.unread = 0;
  }

  #contentOf(beginning: Buffer): KnownContent {
    const known = sameContent(this.#contents, beginning);
    if (known !== undefined) return known;
    const content: KnownContent = { prefix: Buffer.alloc(0), consumed: 0, unread: 0, requests: 0 };
    this.#contents.push(content);
    if (this.#contents.length > maxContents) this.#contents.shift();
    return content;
  }
}

/** A smaller log is read within some milliseconds, in whatever order. */
const minBackBytes = 1024 * 1024;
/** So many rotations ago, no file is left that could be mistaken for a new log. */
const maxContents = 1000;

function versionOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`;
}

/** Between two steps of a rotation there may be no file of the name. */
async function statOf(name: string): Promise<Stats | undefined> {
  return await unlessErrno(stat(name), "ENOENT");
}

async function* emptyInput(): AsyncGenerator<Uint8Array> {}

/**
 * What was read of one log (P67). A log is recognised by its beginning and not by its name: a rotation renames a log, or copies
 * and empties it, and later compresses it. Requests that were read under one name must not be counted again under another.
 */
export interface KnownContent {
  /** The log's first bytes, as far as they were read. */
  prefix: Buffer;
  /** How many bytes were read, counted after decompression, up to the end of a line. */
  consumed: number;
  /** The first so many of these bytes are still to be read: a large log is read from its end back to its beginning. */
  unread: number;
  requests: number;
}

/** About ten lines. The logs of two gateways that start at once differ within them. */
const prefixBytes = 4096;

/** Records that these whole lines were read. */
function noteRead(content: KnownContent, lines: Buffer, requests: number): void {
  if (content.prefix.length < prefixBytes) {
    content.prefix = Buffer.concat([content.prefix, lines.subarray(0, prefixBytes - content.prefix.length)]);
  }
  content.consumed += lines.length;
  content.requests += requests;
}

/**
 * The known content that begins like this log. Contents without requests are ignored: nothing of them could be counted twice.
 */
function sameContent(contents: readonly KnownContent[], beginning: Buffer): KnownContent | undefined {
  return contents
    .filter(({ prefix, requests }) => requests > 0 && isBeginning(prefix, beginning))
    .sort((a, b) => b.consumed - a.consumed)[0];
}

/** Whether a log with this beginning is the one with that prefix. */
function isBeginning(prefix: Buffer, beginning: Buffer): boolean {
  return beginning.length >= prefix.length && beginning.subarray(0, prefix.length).equals(prefix);
}
