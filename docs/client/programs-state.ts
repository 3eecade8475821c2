import { randomUUID } from "node:crypto";
import { open, readdir, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ProgramDetail, ProgramListItem } from "./program-types.ts";
import { type HeldLock, heldLock } from "./programs-lock.ts";

export { CopyInUseError } from "./programs-lock.ts";

/** Your copy of a company's programs, as it is kept between polls. */
export interface ProgramsState {
  readonly format: 2;
  /** A digest of the token of the last list. */
  source: string;
  /** The `Snapshot-Id` of the last list; empty before the first. */
  snapshotId: string;
  /** Its `Snapshot-Generated-At`; empty where that was not said. */
  generatedAt: string;
  /** The `Snapshot-Id` before it, which a server that is behind still has; empty before there were two. */
  earlierId: string;
  /**
   * The `Snapshot-Id` of an older list, which is taken when the next list says the same; empty where there is
   * none.
   */
  heldId: string;
  /** Counts the details that were asked for. */
  turn: number;
  /** By program id. */
  programs: Record<string, StoredProgram>;
  /** What you have not been told yet, by program id. */
  pending: Record<string, Change>;
}

export type Change = "added" | "changed" | "removed";

/** A program of your copy. */
export interface CopiedProgram {
  /** The list's fields, of the last list: name, dates, places, prices. */
  readonly item: ProgramListItem;
  /** The further fields, as last read; `null` until they have been read once. */
  readonly detail: DetailFields | null;
}

/** What a detail has beyond the fields of the list. */
export type DetailFields = Omit<ProgramDetail, keyof ProgramListItem>;

export interface StoredProgram extends CopiedProgram {
  /** The last snapshot that is known to have this detail; empty before it was read. */
  readonly snapshotId: string;
  /** The detail has to be read: the program is new, or its list fields have changed since. */
  readonly isDue: boolean;
  /** When its detail was last asked for: `turn` of then; 0 before. */
  readonly turn: number;
  /** The last request for its detail failed. */
  readonly hasFailed: boolean;
}

/** Where the copy is kept. Write one of your own to keep it in your database. */
export interface StateStore {
  load(): Promise<ProgramsState | undefined>;
  /** Replaces the whole copy. */
  save(state: ProgramsState): Promise<void>;
  /**
   * Keeps other processes away during a poll; gives what ends that. Throws `CopyInUseError` while another one
   * is at it.
   */
  lock?(): Promise<() => void>;
}

export function emptyState(): ProgramsState {
  const before = { source: "", snapshotId: "", generatedAt: "", earlierId: "", heldId: "" };
  return { format: 2, ...before, turn: 0, programs: {}, pending: {} };
}

/** The copy as one file, replaced as a whole: a crash leaves the old one or the new one. */
export function stateFile(path: string): StateStore {
  let held: HeldLock | undefined;
  return {
    async lock() {
      const folder = await realpath(dirname(path));
      const lock = await heldLock(join(folder, basename(path)));
      held = lock;
      await removeUnfinished(folder, basename(path), lock.sinceMs);
      return () => {
        held = undefined;
        lock.release();
      };
    },
    async load() {
      const text = await readFile(path, "utf8").catch((error: { code?: string }) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      return text === undefined ? undefined : parseState(text, path);
    },
    async save(state) {
      // Each write has a file of its own: a process that stood still may have lost the lock, and goes on.
      const written = `${path}.${randomUUID()}.new`;
      try {
        const file = await open(written, "wx");
        try {
          await file.writeFile(JSON.stringify(state));
          await file.sync();
        } finally {
          await file.close();
        }
        await held?.check();
        await rename(written, path);
        await syncFolder(dirname(path));
      } catch (error) {
        await rm(written, { force: true });
        throw error;
      }
    },
  };
}

/** Saves a copy by time. */
export interface Saver {
  /** Something has changed since it was saved last. */
  need(): void;
  /** Whether it is time to save before a pause of so many milliseconds. */
  isDue(pauseMs: number): boolean;
  /** Saves what is needed. */
  save(): Promise<void>;
}

const saveEveryMs = 2000;

/** Within two seconds, and a large copy so seldom that this takes a tenth of the time at most. */
export function createSaver(store: StateStore, state: ProgramsState): Saver {
  let neededAt: number | undefined;
  let tookMs = 0;
  return {
    need() {
      neededAt ??= performance.now();
    },
    isDue(pauseMs) {
      const untilMs = performance.now() + pauseMs;
      return neededAt !== undefined && untilMs - neededAt >= Math.max(saveEveryMs, 10 * tookMs);
    },
    async save() {
      if (neededAt === undefined) return;
      const from = performance.now();
      await store.save(state);
      tookMs = performance.now() - from;
      neededAt = undefined;
    },
  };
}

/**
 * After this, the new name stays also when the machine fails. Windows has no such call, and some shared
 * folders refuse it.
 */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } catch (error) {
    if (!["EINVAL", "ENOTSUP"].includes(String((error as { code?: string }).code))) throw error;
  } finally {
    await folder.close();
  }
}

/** No write takes so long. */
const unfinishedAfterMs = 600_000;

/** Removes what a process that was killed had begun to write, and nothing that may still be written. */
async function removeUnfinished(folder: string, name: string, nowMs: number): Promise<void> {
  for (const file of await readdir(folder)) {
    if (!file.startsWith(`${name}.`) || !file.endsWith(".new")) continue;
    const path = join(folder, file);
    const writtenMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? nowMs;
    if (nowMs - writtenMs > unfinishedAfterMs) await rm(path, { force: true });
  }
}

function parseState(text: string, path: string): ProgramsState {
  let state: Partial<ProgramsState> | null = null;
  try {
    state = JSON.parse(text);
  } catch {
    // Said below.
  }
  const { format, programs } = state ?? {};
  if (format !== 2 || typeof programs !== "object" || programs === null)
    throw new Error(`${path} is not a whole state file of this client; move it away, and all is read anew.`);
  return { ...emptyState(), ...state };
}

/** The copy in memory alone: the first poll of each process reads everything. */
export function stateInMemory(): StateStore {
  let kept: ProgramsState | undefined;
  return {
    load: async () => structuredClone(kept),
    save: async (state) => {
      kept = structuredClone(state);
    },
  };
}
