import type { Server } from "node:http";
import { Failure } from "./failure.ts";

/**
 * Starts to listen. Returns the address as a URL, with the port that the system chose for 0. Throws `settings`. When the
 * signal has fired meanwhile, the server is closed again and the signal's reason is thrown.
 */
export async function listen(
  server: Server,
  host: string,
  port: number,
  signal?: AbortSignal,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new Failure("settings", `Cannot listen on ${host}:${port}: ${error.code}.`, { cause: error }));
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
