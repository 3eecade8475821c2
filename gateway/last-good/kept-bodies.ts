import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import type { ResponseEntry } from "../../core/manifest.ts";
import { piecesOf } from "../../core/object-body.ts";
import { entryFailure, openEntry } from "../../core/read-entry.ts";
import { ownBytes } from "../body-packer.ts";
import type { StoreReader } from "../store-reader.ts";
import type { LastGood } from "./last-good.ts";

/** The bodies in the folder. They are read before the store is asked, since equal digests mean equal bytes (W77). */
export interface KeptBodies {
  get(entry: ResponseEntry): Promise<Buffer | undefined>;
  open(entry: ResponseEntry): Promise<Readable | undefined>;
  /** Makes the next reader check a body again whose reading failed. */
  doubt(entry: ResponseEntry): void;
  /** Keeps a body that was just read from the store. */
  keep(entry: ResponseEntry, bytes: Buffer): void;
  /** Keeps a body that was sent without being in memory. Later the store is read again for the copy. */
  keepLarge(entry: ResponseEntry): void;
}

export function createKeptBodies(lastGood: LastGood, store: StoreReader, timeoutMs: number): KeptBodies {
  const { files } = lastGood;

  async function* fetched(entry: ResponseEntry): AsyncGenerator<Buffer> {
    const found = await openEntry(store, entry, AbortSignal.timeout(timeoutMs));
    if (found.kind === "fault") throw entryFailure(entry, found.fault);
    const hash = createHash("sha256");
    for await (const piece of piecesOf(found)) {
      hash.update(piece);
      yield piece;
    }
    const digest = hash.digest("hex");
    if (digest !== entry.sha256) throw entryFailure(entry, { kind: "digest", found: digest });
  }

  return {
    async get({ sha256 }) {
      const bytes = await files.read(sha256);
      return bytes === undefined ? undefined : ownBytes(bytes);
    },
    open: ({ sha256 }) => files.stream(sha256),
    doubt: ({ sha256 }) => files.doubt(sha256),
    keep: lastGood.keepBody,
    keepLarge: (entry) => lastGood.keepLarge(entry, () => fetched(entry)),
  };
}
