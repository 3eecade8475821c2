/**
 * P67: what was read of a log, whatever it is called by now. Logs are known by how they begin: a rotation renames a log, or copies
 * it and empties it, and later compresses it, and what was read under the old name is not to be counted again.
 */
export interface KnownContent {
  /** The beginning, as far as it was read. */
  prefix: Buffer;
  /** Bytes that were read, decompressed, up to the end of a line. */
  consumed: number;
  requests: number;
}

/** About ten lines: two gateways that start at once differ within them. */
export const prefixBytes = 4096;

export function newContent(): KnownContent {
  return { prefix: Buffer.alloc(0), consumed: 0, requests: 0 };
}

/** Notes that these whole lines were read. */
export function noteRead(content: KnownContent, lines: Buffer, requests: number): void {
  if (content.prefix.length < prefixBytes) {
    content.prefix = Buffer.concat([content.prefix, lines.subarray(0, prefixBytes - content.prefix.length)]);
  }
  content.consumed += lines.length;
  content.requests += requests;
}

/** The content that begins like this one; without a request in it there is nothing to tell it by, or to count twice. */
export function sameContent(contents: readonly KnownContent[], beginning: Buffer): KnownContent | undefined {
  return contents
    .filter(({ prefix, requests }) => requests > 0 && isBeginning(prefix, beginning))
    .sort((a, b) => b.consumed - a.consumed)[0];
}

/** Whether a log that begins like this is still the one with that prefix. */
export function isBeginning(prefix: Buffer, beginning: Buffer): boolean {
  return beginning.length >= prefix.length && beginning.subarray(0, prefix.length).equals(prefix);
}
