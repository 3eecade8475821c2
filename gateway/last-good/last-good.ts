import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Failure } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import type { Logger } from "../../core/logger.ts";
import type { ResponseEntry } from "../../core/manifest.ts";
import type { Clocks, Waits } from "../clocks.ts";
import { settledWithin } from "../deadline.ts";
import type { StoreReader } from "../store-reader.ts";
import { createAtomicFiles } from "./atomic-file.ts";
import { createKeptFiles } from "./kept-files.ts";
import { type KeptPointer, type KeptRegistry, stateBytes } from "./kept-state.ts";
import {
  composedState,
  filesNamedBy,
  type KnownState,
  type RestoredState,
  restoredState,
} from "./known-state.ts";
import { type Confirmed, type HeldBody, mendCopy } from "./mended-copy.ts";
import { patientFiles, type ReadableFiles } from "./patient-files.ts";
import { readStates, removeStates, type StateFile } from "./read-states.ts";
import { createWriteFaults, createWriteQueue } from "./write-queue.ts";

/**
 * A copy of the last confirmed registry, manifests and bodies, in a folder, for a gateway that starts while the store is away
 * (W76). No request waits for a write, and a read or write that fails is only a warning.
 */
export interface LastGood {
  /** Reads the states that earlier processes wrote. Called before all other methods. Never rejects. */
  open(): Promise<void>;
  /** The registry that an earlier process confirmed, with the time of that confirmation by the monotonic clock. */
  registry(): (KeptRegistry & ConfirmedAt) | undefined;
  pointer(tenantId: TenantId): (KeptPointer & ConfirmedAt) | undefined;
  readonly files: ReadableFiles;
  /**
   * W170: resolves when the registry and a state that names it are on the disk, after `waits.keepMs` at the latest, since a
   * hanging disk must not keep a revocation from taking effect.
   */
  keepRegistry(registry: KeptRegistry, pieces: readonly Buffer[]): Promise<void>;
  /** Keeps a manifest. */
  keepRecord(sha256: string, pieces: readonly Buffer[]): void;
  keepBody(entry: ResponseEntry, bytes: Buffer): void;
  /** Keeps a body that is too large for the cache. `fetch` reads it later, and throws when the bytes are wrong. */
  keepLarge(entry: ResponseEntry, fetch: () => AsyncIterable<Buffer>): void;
  /** Called when something new is confirmed, so that the state is written at once and not with the next beat. */
  changed(): void;
  /** Begins to write states. `held`: bodies in memory, the most recently used last. */
  start(sources: { readonly confirmed: () => Confirmed; readonly held: () => Iterable<HeldBody> }): void;
  bytes(): number;
  writeFailures(): number;
  stop(): Promise<void>;
}

export interface LastGoodOptions {
  /** See `lastGoodFolder`. */
  readonly folder: string;
  /** Read again for documents that are missing from the folder. */
  readonly store: StoreReader;
  readonly callTimeoutMs: number;
  readonly maxBytes: number;
  /** Manifests of older pointers are not kept. */
  readonly maxStaleMs: number;
  readonly clocks: Clocks;
  readonly waits: Pick<Waits, "beatMs" | "keepMs" | "mendPauseMs">;
  readonly logger: Logger;
}

export function createLastGood(options: LastGoodOptions): LastGood {
  const { folder, store, callTimeoutMs, maxBytes, maxStaleMs, clocks, logger } = options;
  const { beatMs, keepMs, mendPauseMs } = options.waits;
  const states = join(folder, "states");
  // W86: each process has a state file of its own, so gateways that share the folder never write the same file.
  const ownName = `${randomBytes(8).toString("hex")}.state`;
  /** Whether files may be missing from the folder, because writes failed or somebody emptied it. */
  let isIncomplete = false;
  let mendedAtMs = Number.NEGATIVE_INFINITY;
  const noteIncomplete = (): void => {
    isIncomplete = true;
  };
  const files = createAtomicFiles(folder, noteIncomplete);
  const faults = createWriteFaults(logger, clocks.monotonicMs, noteIncomplete);
  // W170: a registry must not wait for other records, so it has a queue of its own.
  const registries = createWriteQueue("records", faults, maxRecordBytes, tooSlow);
  const records = createWriteQueue("records", faults, maxRecordBytes, tooSlow);
  const bodies = createWriteQueue("bodies", faults, maxBodyBytes, tooSlow);
  let sources: Parameters<LastGood["start"]>[0] | undefined;
  let pinned: ReadonlySet<string> = new Set();
  const kept = createKeptFiles({
    folder,
    files,
    maxBytes,
    pinned: () => pinned,
    inUse: () => held().map(({ sha256 }) => sha256),
  });
  let restored: RestoredState = { registry: undefined, tenants: new Map(), isClockSetBack: false };
  let openedAtMs = 0;
  /** The content of the last state, written or not. */
  let last: KnownState = restored;
  /** The registry that the gateway is about to use, or uses already. */
  let nextRegistry: { readonly registry: KeptRegistry; readonly confirmedAtMs: number } | undefined;
  let stateTurn: Promise<unknown> = Promise.resolve();
  let lastAtMs = 0;
  const unwritten = new Set<string>();
  /** Large bodies that wait to be read, so that not every reader of a body queues it again. */
  const fetching = new Set<string>();
  /** States of other gateways, earlier or present ones. Their content is in `restored`. */
  let others: readonly StateFile[] = [];
  let isStateWaiting = false;
  let beat: NodeJS.Timeout | undefined;
  let rescan: NodeJS.Timeout | undefined;

  const held = (): readonly HeldBody[] => [...(sources?.held() ?? [])];

  /** States are written one after the other, so that an older one never replaces a newer one. */
  function writeState(): Promise<boolean> {
    const turn = stateTurn.then(writeStateNow);
    stateTurn = turn.catch(() => {});
    return turn;
  }

  async function writeStateNow(): Promise<boolean> {
    if (sources === undefined) return false;
    const nowMs = clocks.monotonicMs();
    const { registry: current, tenants: pointers } = sources.confirmed();
    const next = nextRegistry && { ...nextRegistry.registry, ageMs: nowMs - nextRegistry.confirmedAtMs };
    const isAhead = next !== undefined && next.ageMs < (current?.ageMs ?? Number.POSITIVE_INFINITY);
    const confirmed = { registry: isAhead ? next : current, tenants: pointers };
    last = composedState(confirmed, unwritten, last, nowMs - lastAtMs);
    lastAtMs = nowMs;
    const { registry, tenants } = last;
    pinned = filesNamedBy(last, maxStaleMs);
    const bytes = stateBytes({ writtenAtMs: clocks.unixMs(), registry, tenants });
    await files.write(join(states, ownName), [bytes], { isSynced: true });
    // W78: if the clock was set back, other states stay, since a later start can notice that only from them.
    const livingSinceMs = restored.isClockSetBack ? Number.POSITIVE_INFINITY : clocks.unixMs() - livingMs;
    others = await removeStates(states, others, livingSinceMs);
    return true;
  }

  function confirmedAt<Kept extends { readonly ageMs: number }>(
    found: Kept | undefined,
  ): (Kept & ConfirmedAt) | undefined {
    return found === undefined ? undefined : { ...found, confirmedAtMs: openedAtMs - found.ageMs };
  }

  function addState(): void {
    if (isStateWaiting) return;
    isStateWaiting = true;
    records.add(0, async () => {
      isStateWaiting = false;
      // A state is of more use when the bodies are there, too, so it waits for them a little.
      await settledWithin(bodyWaitMs, bodies.drained());
      return await writeState();
    });
  }

  async function writeRecord(sha256: string, pieces: readonly Buffer[]): Promise<boolean> {
    // The record is pinned until a state names it, or the next write could remove it to make room.
    pinned = new Set([...pinned, sha256]);
    return await kept.write(sha256, sizeOf(pieces), pieces);
  }

  /** Removes leftovers and completes the copy, in the queue of the bodies, so that no record waits for it. */
  function tidy(): void {
    isIncomplete = false;
    bodies.add(0, async () => {
      await files.sweep();
      await kept.scan();
      if (sources === undefined) return false;
      const mending = { store, timeoutMs: callTimeoutMs, files: kept, unwritten, maxBytes };
      const isWhole = await mendCopy(sources.confirmed(), held(), mending);
      if (!isWhole) noteIncomplete();
      return isWhole;
    });
  }

  function onBeat(): void {
    addState();
    // A folder that takes no state takes no other file either.
    if (!isIncomplete || faults.isFailing("records")) return;
    if (clocks.monotonicMs() - mendedAtMs < mendPauseMs) return;
    mendedAtMs = clocks.monotonicMs();
    tidy();
  }

  return {
    async open() {
      const unreadable = (error: unknown): void =>
        logger.warn({ cause: String(error) }, "a part of the last good copy could not be read");
      try {
        others = await readStates(states, unreadable);
      } catch (error) {
        unreadable(error);
      }
      restored = restoredState(others, clocks.unixMs());
      openedAtMs = clocks.monotonicMs();
      last = restored;
      lastAtMs = openedAtMs;
      pinned = filesNamedBy(restored, maxStaleMs);
      if (restored.isClockSetBack) {
        logger.warn(
          { cause: "the clock is behind what was written" },
          "the last good copy counts as too old",
        );
      }
    },

    registry: () => confirmedAt(restored.registry),
    pointer: (tenantId) => confirmedAt(restored.tenants.get(tenantId)),
    files: patientFiles(kept),

    async keepRegistry(registry, pieces) {
      const confirmedAtMs = clocks.monotonicMs() - registry.ageMs;
      registries.add(sizeOf(pieces), async () => {
        try {
          await writeRecord(registry.sha256, pieces);
        } finally {
          // The state names the registry even if its file could not be written: no registry after a restart is better than an
          // older one.
          const isNewest = nextRegistry === undefined || confirmedAtMs >= nextRegistry.confirmedAtMs;
          if (isNewest) nextRegistry = { registry, confirmedAtMs };
        }
        return await writeState();
      });
      await settledWithin(keepMs, registries.drained());
    },

    keepRecord(sha256, pieces) {
      unwritten.add(sha256);
      const write = () => writeRecord(sha256, pieces).finally(() => unwritten.delete(sha256));
      const isAdded = records.add(sizeOf(pieces), write);
      // A state that is queued already comes before the document and would not name it, so another one is needed.
      isStateWaiting = false;
      // If the queue is full, the state names a manifest that is missing: to serve nothing is better than to serve an older
      // snapshot.
      if (!isAdded) unwritten.delete(sha256);
    },

    keepBody({ sha256, size }, bytes) {
      if (!kept.has(sha256)) bodies.add(size, () => kept.write(sha256, size, [bytes]));
    },

    keepLarge({ sha256, size }, fetch) {
      if (kept.has(sha256) || fetching.has(sha256)) return;
      fetching.add(sha256);
      const write = () => kept.write(sha256, size, fetch()).finally(() => fetching.delete(sha256));
      if (!bodies.add(0, write)) fetching.delete(sha256);
    },

    changed: addState,

    start(from) {
      sources = from;
      addState();
      tidy();
      beat = setInterval(onBeat, beatMs);
      rescan = setInterval(tidy, rescanMs);
    },

    bytes: kept.bytes,
    writeFailures: faults.count,

    async stop() {
      clearInterval(beat);
      clearInterval(rescan);
      addState();
      await settledWithin(
        maxStopMs,
        Promise.all([registries, records, bodies].map((queue) => queue.drained())),
      );
    },
  };
}

interface ConfirmedAt {
  /** Minus infinity when the time is not known. */
  readonly confirmedAtMs: number;
}

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

function tooSlow(): Failure {
  return new Failure(
    "internal",
    "LAST_GOOD_DIR takes what is to be kept too slowly; some of it is left out.",
  );
}

/** Bounds on bytes that wait in memory. A registry or a manifest has at most 64 MB. */
const maxRecordBytes = 128 * 1024 * 1024;
const maxBodyBytes = 64 * 1024 * 1024;
const bodyWaitMs = 200;
/** How often to look for files of other gateways, so that a shared folder stays within its bound. */
const rescanMs = 600_000;
/** A gateway that wrote its state within this time counts as running. */
const livingMs = 60_000;
const maxStopMs = 2000;
