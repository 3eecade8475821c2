import {
  closeSync,
  type Dirent,
  fsync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from "node:fs";
import { type FileHandle, lstat, open, readdir } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { promisify } from "node:util";

/** The calls of a reader that may wait for the disk. They reject with the system's errors. */
export interface Disk {
  open(path: string, flags: number): Promise<DiskFile>;
  entries(folder: string): Promise<Dirent[]>;
  lstat(path: string): Promise<Stats>;
}

/** An open file or folder. Only the first call of `close` has an effect, so nobody closes a file that was opened later. */
export type DiskFile = Pick<FileHandle, "fd" | "sync" | "close"> & {
  /** Reads up to `length` bytes from `position` of the file into `buffer` from `at` on. */
  read(buffer: Buffer, at: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
};

/** Another thread waits, so that a server answers everybody else meanwhile. */
export const otherThread: Disk = {
  open: (path, flags) => open(path, flags),
  entries: (folder) => readdir(folder, { withFileTypes: true }),
  lstat: (path) => lstat(path),
};

/** The main thread waits. A call that the page cache answers takes a tenth of the time of passing it to another thread. */
export const mainThread: Disk = {
  async open(path, flags) {
    await turnIfDue();
    return blockingFile(openSync(path, flags));
  },
  entries: async (folder) => readdirSync(folder, { withFileTypes: true }),
  lstat: async (path) => lstatSync(path),
};

/** Signals and timers wait no longer than this while one file after the other is read. */
const maxTurnMs = 5;
let lastTurnMs = 0;

/** Gives others a turn when this process has not for a while. */
export async function turnIfDue(): Promise<void> {
  if (performance.now() - lastTurnMs < maxTurnMs) return;
  await turn();
  lastTurnMs = performance.now();
}

function blockingFile(fd: number): DiskFile {
  let isOpen = true;
  return {
    fd,
    sync: () => synced(fd),
    async close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
    async read(buffer, at, length, position) {
      if (!isOpen) throw new Error("the file was closed while it was being read");
      return { bytesRead: readSync(fd, buffer, at, length, position) };
    },
  };
}

const synced = promisify(fsync);
