/**
 * Cuts a stream into blocks of whole lines, each block ending in a line feed but perhaps the last: what looks through
 * gigabytes looks at blocks, and takes only those apart that may hold something. A line longer than any of the gateway's
 * is not one of them; its pieces are dropped, so that memory stays bounded whatever is fed in.
 */
export async function* wholeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest: Buffer = empty;
  let isTooLong = false;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      const from = isTooLong ? bytes.indexOf(lineFeed) + 1 : 0;
      isTooLong = false;
      const block = Buffer.concat([rest, bytes.subarray(from, end)]);
      rest = Buffer.from(bytes.subarray(end));
      if (block.length > 0) yield block;
    } else if (!isTooLong) {
      rest = Buffer.concat([rest, bytes]);
    }
    if (rest.length > maxLineBytes) {
      rest = empty;
      isTooLong = true;
    }
  }
  if (rest.length > 0) yield rest;
}

const lineFeed = 0x0a;
const maxLineBytes = 1024 * 1024;
const empty = Buffer.alloc(0);
