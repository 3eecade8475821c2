import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { InvalidArgumentError } from "commander";
import { Failure } from "../../core/failure.ts";
import { listenFault } from "../../core/listen.ts";
import { createLogger, type Logger } from "../../core/logger.ts";
import { printable } from "../../core/printable.ts";
import { createGatewayLog } from "../operate/gateway-log/gateway-log.ts";
import { isTimeZone } from "../output/times.ts";
import { commandLogger } from "../shell/command-logger.ts";
import { type CliSettings, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { createAskedDatabase } from "../support/facts/asked-database.ts";
import { createInspectServer } from "../support/pages/inspect-server.ts";
import { asText, command, defaulted, repeated, value } from "./command.ts";
import { inspectAccess, loopback } from "./inspect-access.ts";
import { buildWithin, namedLogs, wholeNumber } from "./option-values.ts";

/** `inspect`: read-only pages for support staff. One person opens them with a key, a team signs in. */
export const inspect = command(
  {
    port: defaulted("<n>", "port to listen on; 0 picks a free one", wholeNumber(0, 65_535), 7878),
    listen: value("<host>", `address to listen on, for a team that signs in (default: ${loopback})`, asText),
    hostName: repeated("<name...>", "the names that the pages are reached by, as behind a proxy", asText),
    userHeader: value("<name>", "the header in which an authenticating proxy names who signed in", asText),
    proxySecretFile: value(
      "<file>",
      "a file with the secret that this proxy sends as X-Inspect-Secret",
      asText,
    ),
    log: repeated(
      "<file...>",
      "the gateway's logs, growing, rotated and compressed ones; - is standard input (default: PARTNER_PROGRAMS_LOG)",
      asText,
    ),
    timeZone: value(
      "<name>",
      "the zone of the times on the pages, such as Europe/Paris, with UTC behind (default: the machine's)",
      asTimeZone,
    ),
    buildWithin,
  },
  async (shell, flags) => {
    const settings = settingsOf(shell);
    const { now, signal } = shell;
    const zone = flags.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const access = await inspectAccess(flags, shell);
    await withStore(settings, async (store) => {
      const sources = namedLogs(shell, settings, flags.log);
      const ending = new AbortController();
      const ended = AbortSignal.any([signal, ending.signal]);
      const inspection = {
        store,
        database: createAskedDatabase(settings),
        reader: () => ({ now: now(), zone, buildWithinMs: flags.buildWithin }),
        signal: ended,
        ...(sources.length === 0 ? {} : { log: createGatewayLog(sources, ended) }),
      };
      const log = visitLog(shell, settings, access.isShared);
      const server = createInspectServer({ inspection, gate: access.gate, log });
      try {
        const bound = await listenOn(server, access.host, flags.port);
        shell.stdout.write(
          `Pages over ${printable(store.address)} at ${printable(access.invitation(bound))} (Ctrl-C ends them)\n`,
        );
        if (!signal.aborted) await once(signal, "abort");
      } finally {
        server.close();
        server.closeAllConnections();
        ending.abort();
      }
    });
    // Being stopped is the normal end of this command.
  },
);

/**
 * The log of visits. A team's visits are always logged (P66); one person's terminal stays quiet, like other commands' logs.
 */
function visitLog(shell: Shell, settings: CliSettings, isShared: boolean): Logger {
  if (!isShared) return commandLogger(shell, settings);
  return createLogger({ level: "info", program: "partner-programs", destination: shell.stderr });
}

/** Listens and returns the port. Throws `usage` when that is impossible, as for a port that is taken. */
async function listenOn(server: Server, host: string, wanted: number): Promise<number> {
  server.listen(wanted, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Failure(
      "usage",
      `Cannot listen on ${host}:${wanted}: ${listenFault(code)}. Choose another --port or --listen.`,
      {
        cause: error,
      },
    );
  }
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Failure("internal", "Not a TCP listener.");
  return address.port;
}

function asTimeZone(value: string): string {
  if (isTimeZone(value)) return value;
  throw new InvalidArgumentError("Expected a time zone of the IANA's list, such as Europe/Paris, or UTC.");
}
