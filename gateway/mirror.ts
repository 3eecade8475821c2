import { rm } from "node:fs/promises";
import { join } from "node:path";
import { LRUCache } from "lru-cache";
import { createSlots } from "../core/bounded-work.ts";
import { asFailure, Failure } from "../core/failure.ts";
import { createFileStore } from "../core/file-store/file-store.ts";
import type { StoreId } from "../core/ids.ts";
import type { Logger } from "../core/logger.ts";
import type { Manifest, ResponseEntry } from "../core/manifest.ts";
import { bytesBody, readBody, sha256Hex } from "../core/object-body.ts";
import { currentKey, manifestKey, type ObjectKey, storeKey, tokensKey } from "../core/object-key.ts";
import type { StoredObject } from "../core/object-store.ts";
import { readStoreIdentity, storeIdentityBytes } from "../core/store-identity.ts";
import { maxRegistryBytes } from "../core/token-registry.ts";
import type { Clocks, Waits } from "./clocks.ts";
import { createPatientReader, settledWithin } from "./deadline.ts";
import { guardFolder, removeOtherLayouts, removeUnnamed } from "./mirror-folder.ts";
import { createOutageLog } from "./outage-log.ts";
import { createSealedDocuments, type SealedDocument } from "./sealed-documents.ts";
import type { StoreReader } from "./store-watch.ts";

/**
 * The last good copy, from which a gateway that starts while the store is away serves, within the same bounds as one that ran on
 * (W76). It is a folder laid out like a `file:` store and written by that driver, with what gateways of this folder last read and
 * found right: `store.json`, registry and pointers (see `SealedDocuments`), manifests and bodies. No request waits for a write, and
 * a read or write that fails is only a warning (W85).
 */
export interface Mirror {
  /** Called before all others. Removes what has another layout, or is of another store than `wanted`. Never rejects. */
  open(wanted: StoreId | undefined): Promise<void>;
  /** The store of the copy; `undefined` when the copy has no identity. */
  storeId(): StoreId | undefined;
  /** The registry or a pointer. Never rejects. */
  document(key: ObjectKey): Promise<SealedDocument | undefined>;
  /** The bytes of a manifest or body; `undefined` unless the copy has this digest. Never rejects. */
  bytes(key: ObjectKey, sha256: string): Promise<Buffer | undefined>;
  /** A body that is to be streamed. It is checked before, once for all readers. Never rejects. */
  stream(entry: ResponseEntry): Promise<StoredObject | undefined>;
  /** Makes the next reader check a body again whose reading failed. */
  doubt(key: ObjectKey): void;
  /**
   * W170: resolves when the registry is on the disk, after `waits.keepMs` at the latest, since a hanging disk must not keep a
   * revocation from taking effect.
   */
  keepRegistry(bytes: Buffer, confirmedAtMs: number): Promise<void>;
  /** Keeps a pointer and its manifest, unless that is there already, and removes the folders of snapshots that the manifest does not name. */
  keepSnapshot(
    manifest: Manifest,
    manifestBytes: Buffer | undefined,
    pointer: Buffer,
    confirmedAtMs: number,
  ): void;
  /** `read` gives the body's bytes, now or by reading the store again, and throws when they are wrong. */
  keepBody(entry: ResponseEntry, read: () => Promise<Buffer>): void;
  /**
   * W101: notes that the store still has the registry or pointer that was kept last. False when the copy has lost it, or could not
   * be written: then it is to be read from the store and kept again.
   */
  confirm(key: ObjectKey, confirmedAtMs: number): boolean;
  writeFailures(): number;
  stop(): Promise<void>;
}

export interface MirrorOptions {
  /** See `lastGoodFolder`. */
  readonly folder: string;
  readonly store: StoreReader;
  readonly clocks: Clocks;
  readonly waits: Pick<Waits, "beatMs" | "keepMs">;
  readonly logger: Logger;
  /** Called when the copy has lost bodies that are in memory: they are to be read, and so kept, again. */
  readonly onLost: () => void;
}

export function createMirror({ folder, store, clocks, waits, logger, onLost }: MirrorOptions): Mirror {
  const files = createFileStore({ directory: folder });
  const sealed = createSealedDocuments(folder, files, clocks);
  const outage = createOutageLog(
    logger,
    { failed: "the last good copy could not be written", succeeded: "the last good copy is written again" },
    clocks.monotonicMs,
  );
  /** The digests of the documents that were kept last, and when their seals are due to be touched. */
  const kept = new Map<ObjectKey, { readonly sha256: string; dueAtMs: number; isLost: boolean }>();
  /** Large bodies whose copy this process has checked or written. */
  const proven = new LRUCache<ObjectKey, string>({ max: 1000 });
  const patiently = createPatientReader();
  // Writes of the registry have a turn of their own, so that they wait for no others (W170).
  const registryWrites = createSlots(1);
  const writes = createSlots(1);
  let waitingBytes = 0;
  let failures = 0;
  /** When bodies that could not be written are to be read, and so kept, again. */
  let missedBodiesDueAtMs = Number.POSITIVE_INFINITY;
  let storeId: StoreId | undefined;

  function noteFailure(error: unknown): void {
    failures += 1;
    outage.failed(asFailure(error));
  }

  function noteLost(): void {
    missedBodiesDueAtMs = Number.POSITIVE_INFINITY;
    for (const entry of kept.values()) entry.isLost = true;
    proven.clear();
    onLost();
  }

  /** On a nearly full disk some writes fail every time. */
  function retryAtMs(): number {
    return clocks.monotonicMs() + retryBeats * waits.beatMs;
  }

  /** Runs a write in its turn. Resolves to whether it succeeded; never rejects. */
  async function inTurn(slots: typeof writes, write: () => Promise<void>): Promise<boolean> {
    try {
      await slots("Writing the last good copy", undefined, async () => {
        if (await guardFolder(folder)) noteLost();
        await write();
      });
      outage.succeeded();
      if (clocks.monotonicMs() >= missedBodiesDueAtMs) noteLost();
      return true;
    } catch (error) {
      noteFailure(error);
      return false;
    }
  }

  async function readBytes(key: ObjectKey, sha256: string): Promise<Buffer | undefined> {
    const found = await files.get(key);
    if (found.kind !== "object") return undefined;
    const bytes = await readBody(found, maxRegistryBytes, key);
    if (sha256Hex(bytes) === sha256) return bytes;
    await rm(join(folder, key), { force: true });
    return undefined;
  }

  async function writeBytes(key: ObjectKey, bytes: Buffer): Promise<void> {
    const body = bytesBody(bytes);
    // A damaged copy is removed by the reading.
    if ((await readBytes(key, body.sha256).catch(() => undefined)) !== undefined) return;
    await files.put(key, body);
  }

  function noteKept(key: ObjectKey, bytes: Buffer, writing: Promise<boolean>): void {
    const entry = { sha256: sha256Hex(bytes), dueAtMs: clocks.monotonicMs() + waits.beatMs, isLost: false };
    kept.set(key, entry);
    void writing.then((isWritten) => {
      if (isWritten) return;
      entry.isLost = true;
      entry.dueAtMs = retryAtMs();
    });
  }

  async function keepIdentity(): Promise<void> {
    const signal = AbortSignal.timeout(maxStopMs);
    const identity = await readStoreIdentity(store, { signal }).catch(() => undefined);
    if (identity === undefined || identity.storeId === storeId) return;
    await files.put(storeKey, bytesBody(storeIdentityBytes(identity)));
    storeId = identity.storeId;
  }

  async function openFolder(wanted: StoreId | undefined): Promise<void> {
    await guardFolder(folder);
    await removeOtherLayouts(folder);
    storeId = (await readStoreIdentity(files).catch(() => undefined))?.storeId;
    if (wanted !== undefined && storeId !== undefined && storeId !== wanted) {
      await rm(folder, { recursive: true });
      await guardFolder(folder);
      storeId = undefined;
    }
    if (await sealed.voidFutureTimes()) {
      logger.warn({ cause: "the clock is behind what was written" }, "the last good copy counts as too old");
    }
  }

  return {
    async open(wanted) {
      const opened = openFolder(wanted).catch((error: unknown) => {
        logger.warn({ cause: String(error) }, "a part of the last good copy could not be read");
      });
      await settledWithin(maxOpenMs, opened);
      void inTurn(writes, () => files.tidy(""));
    },

    storeId: () => storeId,
    document: (key) => patiently(() => sealed.read(key)),
    bytes: (key, sha256) => patiently(() => readBytes(key, sha256)),

    stream: ({ key, sha256, size }) =>
      patiently(async () => {
        if (proven.get(key) !== sha256 && (await readBytes(key, sha256)) === undefined) return undefined;
        proven.set(key, sha256);
        const found = await files.get(key);
        if (found.kind !== "object") return undefined;
        if (found.size === size) return found;
        found.body.destroy();
        return undefined;
      }),

    doubt: (key) => void proven.delete(key),

    async keepRegistry(bytes, confirmedAtMs) {
      const writing = inTurn(registryWrites, () => sealed.write(tokensKey, bytes, confirmedAtMs));
      noteKept(tokensKey, bytes, writing);
      void inTurn(writes, keepIdentity);
      await settledWithin(waits.keepMs, writing);
    },

    keepSnapshot(manifest, manifestBytes, pointer, confirmedAtMs) {
      const { tenantId, snapshotId } = manifest;
      const key = currentKey(tenantId);
      const writing = inTurn(writes, async () => {
        if (manifestBytes !== undefined) await writeBytes(manifestKey(tenantId, snapshotId), manifestBytes);
        await sealed.write(key, pointer, confirmedAtMs);
        await removeUnnamed(files, manifest);
      });
      noteKept(key, pointer, writing);
    },

    keepBody({ key, sha256, size }, read) {
      if (proven.get(key) === sha256) return;
      if (waitingBytes > 0 && waitingBytes + size > maxWaitingBytes) {
        noteFailure(new Failure("internal", "LAST_GOOD_DIR takes bodies too slowly; some are left out."));
        return;
      }
      waitingBytes += size;
      proven.set(key, sha256);
      const write = async (): Promise<void> => {
        const bytes = await read().catch(() => undefined);
        if (bytes === undefined) proven.delete(key);
        else await writeBytes(key, bytes);
      };
      void inTurn(writes, write).then((isWritten) => {
        waitingBytes -= size;
        if (isWritten) return;
        proven.delete(key);
        missedBodiesDueAtMs = retryAtMs();
      });
    },

    confirm(key, confirmedAtMs) {
      const entry = kept.get(key);
      if (entry === undefined) return false;
      const nowMs = clocks.monotonicMs();
      if (nowMs < entry.dueAtMs) return true;
      entry.dueAtMs = nowMs + waits.beatMs;
      if (entry.isLost) return false;
      const slots = key === tokensKey ? registryWrites : writes;
      void inTurn(slots, async () => {
        if (await sealed.confirm(key, entry.sha256, confirmedAtMs)) return;
        entry.isLost = true;
        // Another gateway of the folder may have written a newer document.
        if ((await sealed.read(key)) === undefined) noteLost();
      });
      return true;
    },

    writeFailures: () => failures,

    async stop() {
      const idle = [registryWrites, writes].map((slots) => slots("Ending", undefined, async () => {}));
      await settledWithin(maxStopMs, Promise.all(idle));
    },
  };
}

const maxOpenMs = 5000;
const maxStopMs = 2000;
const retryBeats = 12;
/** A bound on bytes of bodies that wait in memory. */
const maxWaitingBytes = 64 * 1024 * 1024;
