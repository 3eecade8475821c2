import { lutimes } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest, ResponseEntry } from "../../core/documents/manifest.ts";
import { createSlots, type Slots } from "../../core/ground/bounded-work.ts";
import { asFailure, Failure } from "../../core/ground/failure.ts";
import type { StoreId } from "../../core/ground/ids.ts";
import { maxRegistryBytes } from "../../core/ground/limits.ts";
import { currentKey, type ObjectKey, storeKey, tokensKey } from "../../core/ground/object-key.ts";
import type { Logger } from "../../core/process/logger.ts";
import { type StoreIdentity, storeIdentityBytes } from "../../core/process/open-store.ts";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import { bytesBody, readBody } from "../../core/store/object-body.ts";
import type { GetResult, ObjectStore } from "../../core/store/object-store.ts";
import type { Clocks, Waits } from "../clocks.ts";
import { settledWithin, valueWithin } from "../deadline.ts";
import { clearedFolder } from "./mirror-folder.ts";
import { createAside, writeBytes, writeDocument, writeSnapshot } from "./mirror-snapshot.ts";
import { createOutageLog, type OutageLog } from "./outage-log.ts";
import type { StoreReader } from "./store-reader.ts";

export interface MirrorOptions {
  /** See `lastGoodFolder`. */
  readonly folder: string;
  /** The identity of the store that answers. */
  readonly identity: () => StoreIdentity | undefined;
  readonly isStoreAway: () => boolean;
  readonly clocks: Clocks;
  readonly waits: Pick<Waits, "beatMs" | "keepMs">;
  readonly logger: Logger;
}

/** What the last good copy has, and when the store had confirmed it. */
export interface Copied<Value> {
  readonly value: Value;
  readonly confirmedAtMs: number;
}

/**
 * The last good copy (`LAST_GOOD_DIR`): what gateways of this folder last read from the store and found
 * right, written by the ordinary `file:` driver. A gateway that starts while the store is away serves from
 * it, within the same bounds as one that ran on (W76). The time of a registry or pointer file is that of its
 * last confirmation; manifests and bodies are checked by their digests like those of the store (W77). No
 * request waits or fails for a write (W85).
 */
export class Mirror {
  /** Manifests and bodies of the copy. Never rejects. */
  readonly copy: StoreReader = { get: async (key) => (await this.#fromCopy(key)) ?? { kind: "missing" } };
  readonly #options: MirrorOptions;
  readonly #files: ObjectStore;
  readonly #outage: OutageLog;
  readonly #kept = new Map<ObjectKey, KeptDocument>();
  // A hanging disk holds one of Node's four threads for each, and leaves one for gzip and host names.
  readonly #reads = createSlots(1);
  readonly #writes = createSlots(1);
  readonly #registryWrites = createSlots(1);
  #waitingBytes = 0;
  #failures = 0;
  #storeId: StoreId | undefined;

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#files = createFileStore({ directory: options.folder });
    this.#outage = createOutageLog(options.logger, outageTexts, options.clocks.monotonicMs);
  }

  /** Called before all others, see `clearedFolder`. Never rejects. */
  async open(wanted: StoreId | undefined): Promise<void> {
    const { folder, logger } = this.#options;
    const opening = clearedFolder(folder, this.#files, wanted).then((found) => {
      this.#storeId = found;
    });
    const tell = (error: unknown): void =>
      logger.warn({ cause: String(error) }, "the last good copy could not be read");
    await settledWithin(maxOpenMs, opening.catch(tell));
  }

  /** The store of the copy; `undefined` when the copy has no identity. */
  storeId(): StoreId | undefined {
    return this.#storeId;
  }

  writeFailures(): number {
    return this.#failures;
  }

  /** The copy of registry or pointer; its time is minus infinity when unknown. Never rejects. */
  async document(key: ObjectKey): Promise<Copied<Buffer> | undefined> {
    return await this.#patiently(() => this.#readDocument(key));
  }

  /** The reader with the copy behind it: manifests and bodies come from there while the store is away. */
  behind(store: StoreReader): StoreReader {
    const { isStoreAway } = this.#options;
    return {
      get: async (key, call) => {
        if (!key.includes("/snapshots/")) return await store.get(key, call);
        const copy = isStoreAway() ? await this.#fromCopy(key) : undefined;
        if (copy !== undefined) return copy;
        return await store.get(key, call).catch(async (error: unknown) => {
          // The first reads of an outage find out that the store is away.
          const found = isStoreAway() ? undefined : await this.#fromCopy(key);
          if (found === undefined) throw error;
          return found;
        });
      },
    };
  }

  /** Resolves when the registry is on disk, or after `waits.keepMs`: no disk delays a revocation (W170). */
  async keepRegistry(bytes: Buffer, confirmedAtMs: number): Promise<void> {
    const write = async (): Promise<boolean> => {
      await this.#writeIdentity();
      return (
        (await writeDocument(this.#files, tokensKey, bytes)) && (await this.#touch(tokensKey, confirmedAtMs))
      );
    };
    await settledWithin(this.#options.waits.keepMs, this.#keep(tokensKey, write));
  }

  /** Keeps a pointer after its manifest, then removes unnamed files. `atMs`: when it was confirmed. */
  keepSnapshot(manifest: Manifest, manifestBytes: Buffer | undefined, pointer: Buffer, atMs: number): void {
    const key = currentKey(manifest.tenantId);
    void this.#keep(key, async () => {
      const aside = createAside(this.#options.folder, manifest);
      const isKept = await writeSnapshot(this.#files, aside, { manifest, manifestBytes, pointer });
      return isKept && (await this.#touch(key, atMs));
    });
  }

  /** `read` gives the body's bytes, now or by reading the store again, and throws when they are wrong. */
  keepBody({ key, sha256, size }: ResponseEntry, read: () => Promise<Buffer>): void {
    if (this.#waitingBytes > 0 && this.#waitingBytes + size > maxWaitingBytes) {
      this.#noteFailure(new Failure("internal", "LAST_GOOD_DIR takes bodies too slowly; some are left out."));
      return;
    }
    this.#waitingBytes += size;
    const write = () => writeBytes(this.#files, key, sha256, read);
    void this.#inTurn(this.#writes, write).then(() => {
      this.#waitingBytes -= size;
    });
  }

  /** Notes that the store still has the last kept document. False: the copy lost it; keep it again (W85). */
  confirm(key: ObjectKey, confirmedAtMs: number): boolean {
    const entry = this.#kept.get(key);
    const due = entry === undefined ? "keeping" : dueOf(entry, this.#options.clocks.monotonicMs());
    if (entry !== undefined && due === "touching")
      void this.#writeKept(key, entry, () => this.#touch(key, confirmedAtMs));
    return due !== "keeping";
  }

  async stop(): Promise<void> {
    const idle = [this.#registryWrites, this.#writes].map((slots) =>
      slots("Ending", undefined, async () => {}),
    );
    await settledWithin(maxStopMs, Promise.all(idle));
  }

  #keep(key: ObjectKey, write: () => Promise<boolean>): Promise<void> {
    const entry = { isOnDisk: true, dueAtMs: 0 };
    this.#kept.set(key, entry);
    return this.#writeKept(key, entry, write);
  }

  async #writeKept(key: ObjectKey, entry: KeptDocument, write: () => Promise<boolean>): Promise<void> {
    const { clocks, waits } = this.#options;
    entry.dueAtMs = clocks.monotonicMs() + waits.beatMs;
    entry.isOnDisk = await this.#inTurn(key === tokensKey ? this.#registryWrites : this.#writes, write);
    // On a nearly full disk some writes fail every time, and each new try reads the document from the store.
    if (!entry.isOnDisk) entry.dueAtMs = clocks.monotonicMs() + retryBeats * waits.beatMs;
  }

  /** Runs a write in its turn. Resolves to whether the copy is as it should be; never rejects. */
  async #inTurn(slots: Slots, write: () => Promise<boolean>): Promise<boolean> {
    try {
      const isOnDisk = await slots("Writing the last good copy", undefined, write);
      this.#outage.succeeded();
      return isOnDisk;
    } catch (error) {
      this.#noteFailure(error);
      return false;
    }
  }

  #noteFailure(error: unknown): void {
    this.#failures += 1;
    this.#outage.failed(asFailure(error));
  }

  /** A reading's result; `undefined` when it fails or takes too long: the store may answer meanwhile. */
  async #patiently<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
    const reading = this.#reads("Reading the last good copy", AbortSignal.timeout(maxReadMs), read);
    return await valueWithin(
      maxReadMs,
      reading.catch(() => undefined),
    );
  }

  async #fromCopy(key: ObjectKey): Promise<GetResult | undefined> {
    const found = await this.#patiently(() => this.#files.get(key));
    return found?.kind === "object" ? found : undefined;
  }

  async #readDocument(key: ObjectKey): Promise<Copied<Buffer> | undefined> {
    const { folder, logger, clocks } = this.#options;
    const found = await this.#files.get(key);
    if (found.kind !== "object") return undefined;
    const value = await readBody(found, maxRegistryBytes, key);
    const ageMs = clocks.unixMs() - found.modifiedAt.getTime();
    if (ageMs >= -roundedMs) return { value, confirmedAtMs: clocks.monotonicMs() - ageMs };
    // W76: for ever: nobody can say its age once the clock has caught up. Its revision or generation counts.
    logger.warn({ cause: `the clock is behind ${key}` }, "the last good copy counts as too old");
    await lutimes(join(folder, key), 0, 0);
    return { value, confirmedAtMs: Number.NEGATIVE_INFINITY };
  }

  async #touch(key: ObjectKey, confirmedAtMs: number): Promise<true> {
    const { folder, clocks } = this.#options;
    const seconds = (clocks.unixMs() - (clocks.monotonicMs() - confirmedAtMs)) / 1000;
    await lutimes(join(folder, key), seconds, seconds);
    return true;
  }

  async #writeIdentity(): Promise<void> {
    const own = this.#options.identity();
    if (own === undefined || own.storeId === this.#storeId) return;
    await this.#files.put(storeKey, bytesBody(storeIdentityBytes(own)));
    this.#storeId = own.storeId;
  }
}

/** The registry or a pointer, as it was kept last. */
export interface KeptDocument {
  isOnDisk: boolean;
  /** When its time is to be set again, or the document to be kept again if it is not on the disk. */
  dueAtMs: number;
}

/** What a document needs that the store has confirmed. */
export function dueOf(
  { isOnDisk, dueAtMs }: KeptDocument,
  nowMs: number,
): "nothing" | "touching" | "keeping" {
  if (nowMs < dueAtMs) return "nothing";
  return isOnDisk ? "touching" : "keeping";
}

const outageTexts = {
  failed: "the last good copy could not be written",
  succeeded: "the last good copy is written again",
};

/** Node.js rounds a file's time to milliseconds. */
const roundedMs = 1;
const maxReadMs = 1000;
const maxOpenMs = 5000;
const maxStopMs = 2000;
const retryBeats = 12;
/** A bound on bytes of bodies that wait in memory. */
const maxWaitingBytes = 64 * 1024 * 1024;
