import { AsyncLocalStorage } from "node:async_hooks";
import crypto from "node:crypto";
import { fstatSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import {
  createLinkGuard,
  createStoreFolders,
  type LinkGuard,
  type StoreFolders,
} from "../../core/store/file-store/store-folders.ts";
import { Versions } from "../../core/store/file-store/versions.ts";
import { steadyBytes } from "./stored-text.ts";

/** Somebody who uses the store's folder, one file system call at a time. */
export interface Actor {
  readonly name: string;
  /** What it did and saw so far: two actors with the same history go on in the same way. */
  readonly history: readonly string[];
  /** Undefined until it is over. */
  readonly result: string | undefined;
  /** Lets it make its next call, and resolves when it wants to make the one after that, or is over. */
  step(): Promise<void>;
  /** Lets it run to its end, so that it leaves nothing open. */
  finish(): Promise<void>;
}

/** What an actor has: the driver's own parts, each call of which waits to be let. */
export interface Desk {
  readonly guard: LinkGuard;
  readonly folders: StoreFolders;
  readonly versions: Versions;
}

/**
 * Starts an actor that stops before its first call. An actor that is never stepped again is as good as
 * killed.
 */
export async function startActor(
  root: string,
  name: string,
  work: (desk: Desk) => Promise<string>,
): Promise<Actor> {
  patchSystem();
  const history: string[] = [];
  let result: string | undefined;
  let go = (): void => {};
  let arrived = (): void => {};
  const waiting = (): Promise<void> => new Promise((resolve) => (arrived = resolve));
  let isFree = false;
  const gate = async (): Promise<void> => {
    if (isFree) return;
    const let_ = new Promise<void>((resolve) => (go = resolve));
    arrived();
    await let_;
  };
  // What differs from run to run says nothing: the folder's own path, descriptors, names of temporary files.
  const note = (what: string): void =>
    void history.push(what.replaceAll(root, "").replaceAll(/fd\/\d+|\.new-[^']*/g, ""));
  const atGate = waiting();
  const over = running.run({ gate, note, nextId: steadyBytes(name), isWithin: false }, async () => {
    await gate();
    result = await work(desk(root, gate, note)).catch((error: unknown) => `failed: ${String(error)}`);
    arrived();
  });
  await atGate;
  return {
    name,
    history,
    get result() {
      return result;
    },
    async step() {
      const next = waiting();
      history.push("step");
      go();
      await next;
    },
    async finish() {
      isFree = true;
      go();
      await over;
    },
  };
}

interface Gated {
  readonly gate: () => Promise<void>;
  /** One opening of a folder, with all that is done in it, is one step. */
  readonly isWithin: boolean;
  readonly note: (what: string) => void;
  readonly nextId: (size: number) => Uint8Array;
}

const running = new AsyncLocalStorage<Gated>();
let isPatched = false;

/** Ids are the same in every run. */
function patchSystem(): void {
  if (isPatched) return;
  isPatched = true;
  const { randomBytes } = crypto;
  const known = (size: number): Uint8Array => running.getStore()?.nextId(size) ?? randomBytes(size);
  crypto.randomBytes = known as typeof randomBytes;
  syncBuiltinESMExports();
}

function desk(root: string, gate: Gated["gate"], note: Gated["note"]): Desk {
  const plain = createLinkGuard(root);
  const inodes: bigint[] = [];
  /** Which of the inodes that the actor has met. Their numbers differ from run to run. */
  const met = (inode: bigint): number => {
    if (!inodes.includes(inode)) inodes.push(inode);
    return inodes.indexOf(inode);
  };
  const guard: LinkGuard = {
    ...plain,
    async open(path, flags) {
      await gate();
      try {
        const handle = await plain.open(path, flags);
        const inode = met(fstatSync(handle.fd, { bigint: true }).ino);
        note(`opened ${readFileSync(`/proc/self/fd/${handle.fd}`)}, ${inode}`);
        return handle;
      } catch (error) {
        note(`not opened: ${String(error)}`);
        throw error;
      }
    },
    async entries(folder) {
      const actor = running.getStore();
      if (actor?.isWithin === false) await gate();
      try {
        const entries = await plain.entries(folder);
        note(`names ${entries.map(({ name }) => name).sort()}`);
        return entries;
      } catch (error) {
        note("no folder");
        throw error;
      }
    },
    async inodeAt(path) {
      await gate();
      const inode = await plain.inodeAt(path);
      note(inode === undefined ? "no such name" : `named ${met(inode)}`);
      return inode;
    },
  };
  const own = createStoreFolders(plain);
  const gated =
    (within: StoreFolders["within"]): StoreFolders["within"] =>
    async (folder, work) => {
      const actor = running.getStore();
      const isWithin = actor?.isWithin === true;
      if (!isWithin) await gate();
      try {
        const result = await within(folder, (open) =>
          running.run({ ...(actor as Gated), isWithin: true }, () => work({ ...open, sync: async () => {} })),
        );
        note(`${folder}: done`);
        return result;
      } catch (error) {
        note(`${folder}: ${String(error)}`);
        throw error;
      }
    };
  const folders: StoreFolders = { guard, within: gated(own.within), withinMade: gated(own.withinMade) };
  return { guard, folders, versions: new Versions(folders) };
}
