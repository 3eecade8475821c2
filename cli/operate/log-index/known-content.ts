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
export const prefixBytes = 4096;

export function newContent(): KnownContent {
  return { prefix: Buffer.alloc(0), consumed: 0, unread: 0, requests: 0 };
}

/** Records that these whole lines were read. */
export function noteRead(content: KnownContent, lines: Buffer, requests: number): void {
  if (content.prefix.length < prefixBytes) {
    content.prefix = Buffer.concat([content.prefix, lines.subarray(0, prefixBytes - content.prefix.length)]);
  }
  content.consumed += lines.length;
  content.requests += requests;
}

/**
 * The known content that begins like this log. Contents without requests are ignored: nothing of them could be counted twice.
 */
export function sameContent(contents: readonly KnownContent[], beginning: Buffer): KnownContent | undefined {
  return contents
    .filter(({ prefix, requests }) => requests > 0 && isBeginning(prefix, beginning))
    .sort((a, b) => b.consumed - a.consumed)[0];
}

/** Whether a log with this beginning is the one with that prefix. */
export function isBeginning(prefix: Buffer, beginning: Buffer): boolean {
  return beginning.length >= prefix.length && beginning.subarray(0, prefix.length).equals(prefix);
}
