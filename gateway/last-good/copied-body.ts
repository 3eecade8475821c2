import { createHash } from "node:crypto";

/** A body on its way to its reader, which can be kept when the reader is content with it. */
export interface CopiedBody {
  readonly body: AsyncIterable<Buffer>;
  /** All that was read, and its digest. */
  whole(): { readonly sha256: string; readonly pieces: readonly Buffer[] };
}

export function copiedBody(body: AsyncIterable<Buffer>): CopiedBody {
  const pieces: Buffer[] = [];
  const hash = createHash("sha256");
  async function* passed(): AsyncGenerator<Buffer> {
    for await (const piece of body) {
      pieces.push(piece);
      hash.update(piece);
      yield piece;
    }
  }
  return { body: passed(), whole: () => ({ sha256: hash.digest("hex"), pieces }) };
}
