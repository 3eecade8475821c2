import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import type { ProgramDetail, ProgramListItem } from "./program-types.ts";

/** Your copy of a company's programs, as it is kept between polls. */
export interface ProgramsState {
  readonly format: 1;
  /** Whose copy it is: a digest of the token. */
  source: string;
  /** The `Snapshot-Id` of the last list; empty before the first. */
  snapshotId: string;
  /** Counts the changes of `snapshotId`. */
  epoch: number;
  /** By program id. */
  programs: Record<string, StoredProgram>;
  /** What has changed since the last poll that succeeded, by program id. */
  pending: Record<string, Change>;
}

export type Change = "added" | "changed" | "removed";

export interface StoredProgram {
  /** The element of the last list. */
  item: ProgramListItem;
  /** The detail as it was last read; `null` until then. */
  detail: ProgramDetail | null;
  /** The epoch whose snapshot the detail was last read from; -1 when it must be read again, whatever the list says. */
  epoch: number;
}

/** Where the copy is kept. Write one of your own to keep it in your database. */
export interface StateStore {
  load(): Promise<ProgramsState | undefined>;
  save(state: ProgramsState): Promise<void>;
}

export function emptyState(): ProgramsState {
  return { format: 1, source: "", snapshotId: "", epoch: 0, programs: {}, pending: {} };
}

/** The copy as one file, replaced as a whole: a crash leaves the old one or the new one. */
export function stateFile(path: string): StateStore {
  return {
    async load() {
      const text = await readFile(path, "utf8").catch((error: { code?: string }) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      return text === undefined ? undefined : parseState(text, path);
    },
    async save(state) {
      // A name of its own: another process may be at it, too, and the last one wins.
      const written = `${path}.${randomUUID()}.new`;
      try {
        const file = await open(written, "wx");
        try {
          await file.writeFile(JSON.stringify(state));
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(written, path);
      } catch (error) {
        await rm(written, { force: true });
        throw error;
      }
    },
  };
}

function parseState(text: string, path: string): ProgramsState {
  let state: Partial<ProgramsState> | null = null;
  try {
    state = JSON.parse(text);
  } catch {
    // Said below.
  }
  const { format, programs } = state ?? {};
  if (format !== 1 || typeof programs !== "object" || programs === null)
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
