import { open, readFile, rename } from "node:fs/promises";
import type { ProgramDetail, ProgramListItem } from "./program-types.ts";

/** Your copy of a company's programs, as it is kept between polls. */
export interface ProgramsState {
  readonly format: 1;
  /** The `Snapshot-Id` of the last list; empty before the first. */
  snapshotId: string;
  /** Counts the changes of `snapshotId`. */
  epoch: number;
  /** By program id. */
  programs: Record<string, StoredProgram>;
}

export interface StoredProgram {
  /** The element of the last list. */
  item: ProgramListItem;
  /** The detail as it was last read; `null` until then. */
  detail: ProgramDetail | null;
  /** The epoch in which the detail was last read. */
  epoch: number;
}

/** Where the copy is kept. Write one of your own to keep it in your database. */
export interface StateStore {
  load(): Promise<ProgramsState | undefined>;
  save(state: ProgramsState): Promise<void>;
}

export function emptyState(): ProgramsState {
  return { format: 1, snapshotId: "", epoch: 0, programs: {} };
}

/** The copy as one file, replaced as a whole: a crash leaves the old one or the new one. */
export function stateFile(path: string): StateStore {
  return {
    async load() {
      const text = await readFile(path, "utf8").catch((error: { code?: string }) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      });
      if (text === undefined) return undefined;
      const state = JSON.parse(text);
      if (state?.format !== 1) throw new Error(`${path} is not a state file of this client; move it away.`);
      return state;
    },
    async save(state) {
      const written = `${path}.new`;
      const file = await open(written, "w");
      try {
        await file.writeFile(JSON.stringify(state));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(written, path);
    },
  };
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
