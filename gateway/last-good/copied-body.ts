import { createHash } from "node:crypto";
import type { LastGood } from "./last-good.ts";

/** A body on its way to its reader, which can be kept when the reader is content with it. */
export interface CopiedBody {
  readonly body: AsyncIterable<Buffer>;
  /** The digest of all that was read. */
  keep(): string;
}

export function copiedBody(lastGood: LastGood, body: AsyncIterable<Buffer>): CopiedBody {
  const pieces: Buffer[] = [];
  const hash = createHash("sha256");
  async function* passed(): AsyncGenerator<Buffer> {
    for await (const piece of body) {
      pieces.push(piece);
      hash.update(piece);
      yield piece;
    }
  }
  return {
    body: passed(),
    keep() {
      const sha256 = hash.digest("hex");
      lastGood.keepRecord(sha256, pieces);
      return sha256;
    },
  };
}
