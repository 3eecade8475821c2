import type { Server } from "node:http";
import { Failure } from "../ground/failure.ts";

/** Where to listen, and what changes that, for messages: `HOST or PORT`. */
export interface ListenAddress {
  readonly host: string;
  /** 0: a port that the system chooses. */
  readonly port: number;
  readonly setting: string;
}

/**
 * Starts to listen. Returns the address as a URL. Throws `settings`. When the signal has fired meanwhile, the
 * server is closed again and the signal's reason is thrown.
 */
export async function listen(
  server: Server,
  { host, port, setting }: ListenAddress,
  signal?: AbortSignal,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = `Cannot listen on ${host}:${port}: ${listenFault(error.code)}. Change ${setting}.`;
      reject(new Failure("settings", why, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
  if (signal?.aborted === true) server.close();
  signal?.throwIfAborted();
  const found = server.address();
  if (found === null || typeof found === "string") throw new Failure("internal", "Not a TCP listener.");
  const { address, family } = found;
  return `http://${family === "IPv6" ? `[${address}]` : address}:${found.port}`;
}

/** The system's error code in words. */
function listenFault(code = "nothing"): string {
  return faults[code] ?? `the system says ${code}`;
}

const faults: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process listens there already",
  EACCES: "this user may not use that port; ports below 1024 often need root",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "no host has that name",
};
