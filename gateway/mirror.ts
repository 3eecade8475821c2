import { lutimes } from "node:fs/promises";
import { join } from "node:path";
import { createSlots, type Slots } from "../core/bounded-work.ts";
import { asFailure, Failure } from "../core/failure.ts";
import { createFileStore } from "../core/file-store/file-store.ts";
import type { StoreId } from "../core/ids.ts";
import { maxRegistryBytes } from "../core/limits.ts";
import type { Logger } from "../core/logger.ts";
import type { Manifest, ResponseEntry } from "../core/manifest.ts";
import { bytesBody, readBody } from "../core/object-body.ts";
import { currentKey, type ObjectKey, storeKey, tokensKey } from "../core/object-key.ts";
import type { GetResult } from "../core/object-store.ts";
import { type StoreIdentity, storeIdentityBytes } from "../core/open-store.ts";
import type { Clocks, Waits } from "./clocks.ts";
import type { Copied } from "./confirmed.ts";
import { settledWithin, valueWithin } from "./deadline.ts";
import { clearedFolder } from "./mirror-folder.ts";
import { createAside, writeBytes, writeDocument, writeSnapshot } from "./mirror-snapshot.ts";
import { createOutageLog } from "./outage-log.ts";
import type { StoreReader } from "./store-watch.ts";

/**
 * The last good copy (`LAST_GOOD_DIR`): what gateways of this folder last read from the store and found right, written by the
 * ordinary `file:` driver. A gateway that starts while the store is away serves from it, within the same bounds as one that ran on
 * (W76). The time of a registry or pointer file is that of its last confirmation; manifests and bodies are checked by their digests
 * like those of the store (W77). No request waits or fails for a write (W85).
 */
export interface Mirror {
  /** Called before all others, see `clearedFolder`. Never rejects. */
  open(wanted: StoreId | undefined): Promise<void>;
  /** The store of the copy; `undefined` when the copy has no identity. */
  storeId(): StoreId | undefined;
  /** The copy of the registry or of a pointer; its time is minus infinity when it is not known. Never rejects. */
  document(key: ObjectKey): Promise<Copied<Buffer> | undefined>;
  /** Manifests and bodies of the copy. Never rejects. */
  readonly copy: StoreReader;
  /** The reader with the copy behind it: manifests and bodies come from there while the store is away. */
  behind(store: StoreReader): StoreReader;
  /** Resolves when the registry is on the disk, or after `waits.keepMs`: a hanging disk must not delay a revocation (W170). */
  keepRegistry(bytes: Buffer, confirmedAtMs: number): Promise<void>;
  /** Keeps a pointer after its manifest, then removes what that does not name. `atMs`: when the store confirmed it. */
  keepSnapshot(manifest: Manifest, manifestBytes: Buffer | undefined, pointer: Buffer, atMs: number): void;
  /** `read` gives the body's bytes, now or by reading the store again, and throws when they are wrong. */
  keepBody(entry: ResponseEntry, read: () => Promise<Buffer>): void;
  /** Notes that the store still has the document that was kept last. False: the copy lost it; read and keep it again (W85). */
  confirm(key: ObjectKey, confirmedAtMs: number): boolean;
  writeFailures(): number;
  stop(): Promise<void>;
}

export function createMirror(options: {
  /** See `lastGoodFolder`. */
  readonly folder: string;
  /** The identity of the store that answers. */
  readonly identity: () => StoreIdentity | undefined;
  readonly isStoreAway: () => boolean;
  readonly clocks: Clocks;
  readonly waits: Pick<Waits, "beatMs" | "keepMs">;
  readonly logger: Logger;
}): Mirror {
  const { folder, identity, isStoreAway, waits, logger } = options;
  const { monotonicMs, unixMs } = options.clocks;
  const files = createFileStore({ directory: folder });
  const outage = createOutageLog(
    logger,
    { failed: "the last good copy could not be written", succeeded: "the last good copy is written again" },
    monotonicMs,
  );
  const kept = new Map<ObjectKey, KeptDocument>();
  // A hanging disk holds one of Node's four threads for each of these, and leaves one for gzip and host names.
  const reads = createSlots(1);
  const writes = createSlots(1);
  const registryWrites = createSlots(1);
  let waitingBytes = 0;
  let failures = 0;
  let storeId: StoreId | undefined;

  function noteFailure(error: unknown): void {
    failures += 1;
    outage.failed(asFailure(error));
  }

  /** Runs a write in its turn. Resolves to whether the copy is as it should be; never rejects. */
  async function inTurn(slots: Slots, write: () => Promise<boolean>): Promise<boolean> {
    try {
      const isOnDisk = await slots("Writing the last good copy", undefined, write);
      outage.succeeded();
      return isOnDisk;
    } catch (error) {
      noteFailure(error);
      return false;
    }
  }

  async function writeKept(entry: KeptDocument, slots: Slots, write: () => Promise<boolean>): Promise<void> {
    entry.dueAtMs = monotonicMs() + waits.beatMs;
    entry.isOnDisk = await inTurn(slots, write);
    // On a nearly full disk some writes fail every time, and each new try reads the document from the store.
    if (!entry.isOnDisk) entry.dueAtMs = monotonicMs() + retryBeats * waits.beatMs;
  }

  function keep(key: ObjectKey, slots: Slots, write: () => Promise<boolean>): Promise<void> {
    const entry = { isOnDisk: true, dueAtMs: 0 };
    kept.set(key, entry);
    return writeKept(entry, slots, write);
  }

  /** The result of a reading; `undefined` when it fails or takes too long, since the store may answer meanwhile. */
  async function patiently<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
    const reading = reads("Reading the last good copy", AbortSignal.timeout(maxReadMs), read);
    return await valueWithin(
      maxReadMs,
      reading.catch(() => undefined),
    );
  }

  async function fromCopy(key: ObjectKey): Promise<GetResult | undefined> {
    const found = await patiently(() => files.get(key));
    return found?.kind === "object" ? found : undefined;
  }

  async function touch(key: ObjectKey, confirmedAtMs: number): Promise<true> {
    const seconds = (unixMs() - (monotonicMs() - confirmedAtMs)) / 1000;
    await lutimes(join(folder, key), seconds, seconds);
    return true;
  }

  async function readDocument(key: ObjectKey): Promise<Copied<Buffer> | undefined> {
    const found = await files.get(key);
    if (found.kind !== "object") return undefined;
    const value = await readBody(found, maxRegistryBytes, key);
    const ageMs = unixMs() - found.modifiedAt.getTime();
    if (ageMs >= -roundedMs) return { value, confirmedAtMs: monotonicMs() - ageMs };
    // W76: for ever, since nobody can say how old it is when the clock has caught up. Its revision or generation still counts.
    logger.warn({ cause: `the clock is behind ${key}` }, "the last good copy counts as too old");
    await lutimes(join(folder, key), 0, 0);
    return { value, confirmedAtMs: Number.NEGATIVE_INFINITY };
  }

  async function writeIdentity(): Promise<void> {
    const own = identity();
    if (own === undefined || own.storeId === storeId) return;
    await files.put(storeKey, bytesBody(storeIdentityBytes(own)));
    storeId = own.storeId;
  }

  return {
    open(wanted) {
      const opening = clearedFolder(folder, files, wanted).then((found) => {
        storeId = found;
      });
      const tell = (error: unknown): void =>
        logger.warn({ cause: String(error) }, "the last good copy could not be read");
      return settledWithin(maxOpenMs, opening.catch(tell));
    },

    storeId: () => storeId,
    document: (key) => patiently(() => readDocument(key)),

    copy: { get: async (key) => (await fromCopy(key)) ?? { kind: "missing" } },

    behind: (store) => ({
      async get(key, call) {
        if (!key.includes("/snapshots/")) return await store.get(key, call);
        const copy = isStoreAway() ? await fromCopy(key) : undefined;
        if (copy !== undefined) return copy;
        return await store.get(key, call).catch(async (error: unknown) => {
          // The first reads of an outage find out that the store is away.
          const found = isStoreAway() ? undefined : await fromCopy(key);
          if (found === undefined) throw error;
          return found;
        });
      },
    }),

    async keepRegistry(bytes, confirmedAtMs) {
      const write = async (): Promise<boolean> => {
        await writeIdentity();
        return (await writeDocument(files, tokensKey, bytes)) && (await touch(tokensKey, confirmedAtMs));
      };
      await settledWithin(waits.keepMs, keep(tokensKey, registryWrites, write));
    },

    keepSnapshot(manifest, manifestBytes, pointer, confirmedAtMs) {
      const key = currentKey(manifest.tenantId);
      void keep(key, writes, async () => {
        const kept = { manifest, manifestBytes, pointer };
        const isKept = await writeSnapshot(files, createAside(folder, manifest), kept);
        return isKept && (await touch(key, confirmedAtMs));
      });
    },

    keepBody({ key, sha256, size }, read) {
      if (waitingBytes > 0 && waitingBytes + size > maxWaitingBytes) {
        noteFailure(new Failure("internal", "LAST_GOOD_DIR takes bodies too slowly; some are left out."));
        return;
      }
      waitingBytes += size;
      const write = async (): Promise<true> => {
        await writeBytes(files, key, sha256, read);
        return true;
      };
      void inTurn(writes, write).then(() => {
        waitingBytes -= size;
      });
    },

    confirm(key, confirmedAtMs) {
      const entry = kept.get(key);
      if (entry === undefined || (!entry.isOnDisk && monotonicMs() >= entry.dueAtMs)) return false;
      if (monotonicMs() >= entry.dueAtMs) {
        const slots = key === tokensKey ? registryWrites : writes;
        void writeKept(entry, slots, () => touch(key, confirmedAtMs));
      }
      return true;
    },

    writeFailures: () => failures,

    async stop() {
      const idle = [registryWrites, writes].map((slots) => slots("Ending", undefined, async () => {}));
      await settledWithin(maxStopMs, Promise.all(idle));
    },
  };
}

/** The registry or a pointer, as it was kept last. */
interface KeptDocument {
  isOnDisk: boolean;
  /** When its time is to be set again, or the document to be kept again if it is not on the disk. */
  dueAtMs: number;
}

/** Node.js rounds a file's time to milliseconds. */
const roundedMs = 1;
const maxReadMs = 1000;
const maxOpenMs = 5000;
const maxStopMs = 2000;
const retryBeats = 12;
/** A bound on bytes of bodies that wait in memory. */
const maxWaitingBytes = 64 * 1024 * 1024;
