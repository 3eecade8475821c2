import { createHash } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Another process of this machine is in the middle of a poll with the same copy. */
export class CopyInUseError extends Error {
  constructor(path: string) {
    super(`Another run is still at work on ${path}; this one did nothing.`);
    this.name = "CopyInUseError";
  }
}

/**
 * Holds the lock of a file until the returned function is called or this process ends, however it ends. Node.js has no
 * locks of files, so the lock is a name on which only one process can listen. Throws `CopyInUseError`.
 */
export async function heldLock(path: string): Promise<() => void> {
  const name = socketName(path);
  for (let turn = 1; ; turn += 1) {
    const server = createServer((visitor) => visitor.destroy());
    try {
      await once(server.listen(name), "listening");
      return () => server.close();
    } catch (error) {
      if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
      if (turn === 2 || !name.endsWith(".sock") || (await isAnswered(name))) throw new CopyInUseError(path);
      // A process that was killed has left the socket behind.
      await rm(name, { force: true });
    }
  }
}

/** On Linux and Windows such a name is no file, and goes with its process. */
function socketName(path: string): string {
  const name = `programs-${createHash("sha256").update(path).digest("hex").slice(0, 32)}`;
  if (process.platform === "win32") return `\\\\.\\pipe\\${name}`;
  return process.platform === "linux" ? `\0${name}` : join(tmpdir(), `${name}.sock`);
}

async function isAnswered(name: string): Promise<boolean> {
  const visit = createConnection(name);
  try {
    await once(visit, "connect");
    return true;
  } catch {
    return false;
  } finally {
    visit.destroy();
  }
}
