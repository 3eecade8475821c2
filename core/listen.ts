import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "./failure.ts";

/** Starts to listen; gives the address as a URL, with the port that the system chose for 0. Throws `settings`. */
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

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
