import { execFile } from "node:child_process";
import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { access, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Failure } from "../../core/failure.ts";

/**
 * A running server's users are the processes that hold the writing end of a named pipe. The kernel closes it
 * for those that are killed, so the last one leaves for certain, however it ends; the shell that reads the
 * pipe (`keeperScript`) then stops the server. It needs nothing but POSIX, and works alike on Linux and macOS.
 */
export interface ServerUse {
  /** File descriptor of the writing end. */
  readonly pipe: number;
}

/**
 * A shell script that becomes the server (its arguments are the command line), with a reader of the users' pipe
 * beside it. The pipe's reading end is file descriptor 3. A line names a file to create as proof that the writer
 * counts as a user: a process that opened the pipe while the reader was leaving gets none.
 */
export const keeperScript = `
(
  while IFS= read -r joined && kill -0 $$; do : > "$joined"; done
  kill -INT $$
) <&3 &
exec "$@" 3<&-
`;

/** A new pipe at `path` with this process as its first user; `readEnd` is for the server's keeper. */
export async function createUsersPipe(
  path: string,
): Promise<{ readonly use: ServerUse; readonly readEnd: number }> {
  await promisify(execFile)("mkfifo", ["-m", "600", path]).catch((cause: unknown) => {
    throw new Failure(
      "source_unavailable",
      `Could not create the named pipe ${path}, which the embedded PostgreSQL needs: ` +
        "set DATA_DIR to a directory on a local disk, or DATABASE_URL to a PostgreSQL of your own.",
      { cause },
    );
  });
  // Opening either end alone would block until the other is open.
  const both = openSync(path, constants.O_RDWR);
  const readEnd = openSync(path, constants.O_RDONLY);
  const pipe = openSync(path, constants.O_WRONLY);
  closeSync(both);
  return { use: { pipe }, readEnd };
}

/**
 * Becomes a user of the server whose pipe is at `path` and whose keeper works in the folder `proofs`; `undefined` when there is
 * none, or it is stopping.
 */
export async function joinUsers(path: string, proofs: string): Promise<ServerUse | undefined> {
  const pipe = openIfRead(path);
  if (pipe === undefined) return undefined;
  const proof = join(proofs, `joined-${process.pid}-${pipe}`);
  try {
    // Asked again and again: a process that is about to leave may have read the line in the keeper's place.
    for (let asked = 0; asked < 50 && ask(pipe, basename(proof)); asked += 1) {
      for (let waitedMs = 0; waitedMs < 200; waitedMs += 5) {
        await delay(5);
        if (await exists(proof)) return { pipe };
      }
    }
    closeSync(pipe);
    return undefined;
  } finally {
    await rm(proof, { force: true });
  }
}

/** Gives the server of the pipe at `path` up; true when nobody else uses it, so that it is stopping. */
export function leaveUsers(use: ServerUse, path: string): boolean {
  const probe = openProbe(path);
  closeSync(use.pipe);
  if (probe === undefined) return true;
  const isLast = hasNoWriter(probe);
  closeSync(probe);
  return isLast;
}

/** A reading end; `undefined` when the pipe was removed together with the cluster. */
function openProbe(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function openIfRead(path: string): number | undefined {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENXIO") || hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function ask(pipe: number, proof: string): boolean {
  try {
    writeSync(pipe, `${proof}\n`);
    return true;
  } catch (error) {
    // EPIPE: the keeper is gone. EAGAIN: nobody reads any more, and the pipe has filled.
    if (hasCode(error, "EPIPE") || hasCode(error, "EAGAIN")) return false;
    throw error;
  }
}

/** Reading a pipe without a writer gives its end; with one, and nothing to read, "try again". */
function hasNoWriter(probe: number): boolean {
  try {
    return readSync(probe, Buffer.alloc(1024)) === 0;
  } catch (error) {
    if (hasCode(error, "EAGAIN")) return false;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
