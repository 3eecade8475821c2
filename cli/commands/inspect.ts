import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Command, InvalidArgumentError } from "commander";
import { Failure } from "../../core/failure.ts";
import { printable } from "../../core/printable.ts";
import { accessKeyBytes, welcomeAddress } from "../inspect/access.ts";
import { createInspectServer } from "../inspect/inspect-server.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";

/** `inspect`: read-only pages over the store, for support staff, on this machine alone and with a key of this run. */
export function inspect(shell: Shell): Command {
  return new Command()
    .option("--port <n>", "port to listen on; 0 picks a free one", port, 7878)
    .action(action(shell, (flags: { readonly port: number }) => run(shell, flags.port)));
}

async function run(shell: Shell, wanted: number): Promise<ExitStatus> {
  const settings = settingsOf(shell);
  const { now, signal } = shell;
  const key = Buffer.from(shell.randomBytes(accessKeyBytes)).toString("base64url");
  await withStore(settings, async (store) => {
    const server = createInspectServer({ store, settings, now, signal }, key);
    const bound = await listenOnLoopback(server, wanted);
    const address = welcomeAddress(bound, key);
    shell.stdout.write(`Pages over ${printable(store.address)} at ${address} (Ctrl-C ends them)\n`);
    try {
      if (!signal.aborted) await once(signal, "abort");
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
  // To be stopped is how it ends.
  return 0;
}

/** The port that was bound; throws `usage` when it is taken. */
async function listenOnLoopback(server: Server, wanted: number): Promise<number> {
  server.listen(wanted, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Failure("usage", `Cannot listen on 127.0.0.1:${wanted} (${code}); choose another --port.`, {
      cause: error,
    });
  }
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Failure("internal", "Not a TCP listener.");
  return address.port;
}

function port(value: string): number {
  const number = /^\d{1,5}$/.test(value) ? Number(value) : -1;
  if (number >= 0 && number <= 65_535) return number;
  throw new InvalidArgumentError("Expected a port from 0 to 65535.");
}
