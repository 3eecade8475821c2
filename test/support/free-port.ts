import { once } from "node:events";
import { createServer } from "node:net";

/**
 * A port that nobody listens on, on any address of this machine, for a server that has to know it beforehand
 * or take it again after a restart. Not one that systems give to outgoing connections (from 32768 on with
 * Linux, from 49152 on with macOS): of those, any connection of any process may take it meanwhile. No process
 * is given one twice.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + Math.floor(Math.random() * (endPort - firstPort));
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port);
  try {
    await once(probe, "listening");
  } catch {
    return false;
  }
  probe.close();
  await once(probe, "close");
  return true;
}

const firstPort = 20_000;
const endPort = 32_768;
const given = new Set<number>();
