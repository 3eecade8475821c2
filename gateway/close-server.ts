import type { Server } from "node:http";
import { stopAccepting } from "./node-internals.ts";

/**
 * Stops accepting and waits for what is under way, at most `graceMs`; then ends every connection. `endIdle` is called
 * again and again, since a connection may become idle while others are still busy. W96: what a front sends into one that is
 * ending gets no answer at all, rather than part of one, so it can ask another gateway.
 */
export async function closeServer(server: Server, graceMs: number, endIdle: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    stopAccepting(server, resolve);
  });
  endIdle();
  const idle = setInterval(endIdle, idleCheckMs);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

const idleCheckMs = 50;
