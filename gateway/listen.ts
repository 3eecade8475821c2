import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "../core/failure.ts";
import { stopAccepting } from "./node-internals.ts";

/** Starts to listen; gives the address as a URL, with the port that the system chose for 0. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new Failure("settings", `Cannot listen on ${host}:${port}: ${error.code}.`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Failure("internal", "Not a TCP listener.");
  return urlOf(address);
}

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

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
