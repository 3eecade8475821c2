import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { open, readFile, readlink, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";

// The lock is a file beside the copy, so that it holds wherever the copy can be reached: in other containers
// and on other machines, too. Node.js has no locks of files that end with their process. So the file says
// which process holds it, which writes to it again every few seconds; and what has not been written to for a
// minute is nobody's.

/** Another process is in the middle of a poll with the same copy. */
export class CopyInUseError extends Error {
  constructor(path: string) {
    super(`Another run is still at work on ${path}; this one did nothing.`);
    this.name = "CopyInUseError";
  }
}

export interface HeldLock {
  /** When it was taken, by the clock of the file system. */
  readonly sinceMs: number;
  /**
   * Throws `CopyInUseError` when another process has taken the lock, because this one stood still for too
   * long.
   */
  check(): Promise<void>;
  release(): void;
}

interface Owner {
  readonly id: string;
  /** Where `pid` means something: the machine, and what the process sees of its processes. */
  readonly place: string;
  readonly pid: number;
}

const beatEveryMs = 5000;
const deadAfterMs = 60_000;
/** The locks that this very process holds. */
const held = new Set<string>();

/**
 * Holds the lock of a copy until it is released or this process ends, however it ends. Throws
 * `CopyInUseError`.
 */
export async function heldLock(path: string): Promise<HeldLock> {
  const lock = `${path}.held`;
  const owner: Owner = { id: randomUUID(), place: await placeOfPids(), pid: process.pid };
  const text = JSON.stringify(owner);
  for (let turn = 1; ; turn += 1) {
    try {
      const file = await open(lock, "wx");
      await file.write(text, 0);
      held.add(owner.id);
      // By this file, not by its name: that may be another process's by then.
      const beat = setInterval(() => file.write(text, 0).catch(() => {}), beatEveryMs).unref();
      return {
        sinceMs: (await file.stat()).mtimeMs,
        async check() {
          if ((await textOf(lock)) !== text) throw new CopyInUseError(path);
        },
        release() {
          clearInterval(beat);
          held.delete(owner.id);
          file.close().catch(() => {});
          // Not what another process has taken meanwhile.
          if (existsSync(lock) && readFileSync(lock, "utf8") === text) rmSync(lock);
        },
      };
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") throw error;
      if (turn === 3 || !(await isFreed(path, lock, owner.place))) throw new CopyInUseError(path);
    }
  }
}

/** Whether nobody holds the lock any more. What a process that was killed has left is removed. */
async function isFreed(path: string, lock: string, place: string): Promise<boolean> {
  const text = await textOf(lock);
  if (text === undefined) return true;
  if (!(await isDead(path, lock, text, place))) return false;
  // Of several that find it dead, one moves it away. Another may have taken the lock in between: then it gets
  // it back.
  const away = `${path}.${randomUUID()}.new`;
  try {
    await rename(lock, away);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return true;
    throw error;
  }
  const isSame = (await textOf(away)) === text;
  if (isSame) await rm(away, { force: true });
  else await rename(away, lock);
  return isSame;
}

async function isDead(path: string, lock: string, text: string, place: string): Promise<boolean> {
  const owner = ownerOf(text);
  if (owner?.place === place && !isRunning(owner)) return true;
  // A new file tells the time of the file system, which may be another machine's.
  const probe = `${path}.${randomUUID()}.new`;
  try {
    await (await open(probe, "wx")).close();
    const [now, then] = await Promise.all([stat(probe), stat(lock)]);
    return now.mtimeMs - then.mtimeMs > deadAfterMs;
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return true;
    throw error;
  } finally {
    await rm(probe, { force: true });
  }
}

function ownerOf(text: string): Owner | undefined {
  try {
    return JSON.parse(text);
  } catch {
    // It is written in two steps: this one is new, or its process was killed between them.
    return undefined;
  }
}

function isRunning({ id, pid }: Owner): boolean {
  if (pid === process.pid) return held.has(id);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}

/** Containers of one machine may share its name, and count their processes each for itself. */
async function placeOfPids(): Promise<string> {
  return `${hostname()} ${await readlink("/proc/self/ns/pid").catch(() => "")}`;
}

async function textOf(file: string): Promise<string | undefined> {
  return await readFile(file, "utf8").catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}
