import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Failure } from "../../core/ground/failure.ts";
import { printable } from "../../core/ground/printable.ts";
import { listen } from "../../core/process/listen.ts";
import { isTimeZone } from "../output/words.ts";
import { createGatewayLog } from "../read/gateway-log/recent-answers.ts";
import { commandLogger } from "../shell/command-logger.ts";
import { type Shell, settingsOf, withStore } from "../shell/shell.ts";
import { createAskedDatabase } from "../support/facts/asked-database.ts";
import { accessKeyBytes, createKeyGate, createProxyGate, secretHeader } from "../support/pages/access.ts";
import { createInspectServer } from "../support/pages/inspect-server.ts";
import { asText, command, defaulted, expecting, repeated, type Values, value } from "./command.ts";
import { buildWithin, namedLogs, wholeNumber } from "./option-values.ts";

const loopback = "127.0.0.1";

const asTimeZone = expecting("a time zone of the IANA's list, such as Europe/Paris, or UTC.", (text) =>
  isTimeZone(text) ? text : undefined,
);

/** The options that say who may see the pages. */
const accessFlags = {
  listen: value("<host>", `address to listen on, for a team that signs in (default: ${loopback})`, asText),
  hostName: repeated("<name...>", "the names that the pages are reached by, as behind a proxy", asText),
  userHeader: value("<name>", "the header in which an authenticating proxy names who signed in", asText),
  proxySecretFile: value(
    "<file>",
    "a file with the secret that this proxy sends as X-Inspect-Secret",
    asText,
  ),
};

/** `inspect`: read-only pages for support staff. One person opens them with a key, a team signs in. */
export const inspect = command(
  {
    port: defaulted("<n>", "port to listen on; 0 picks a free one", wholeNumber(0, 65_535), 7878),
    ...accessFlags,
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
    const { tokenMaxLifetimeMs } = settings;
    const { now, signal } = shell;
    const zone = flags.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const access = await inspectAccess(flags, shell);
    await withStore(settings, async (store) => {
      const sources = namedLogs(shell, flags.log);
      const ending = new AbortController();
      const ended = AbortSignal.any([signal, ending.signal]);
      const inspection = {
        store,
        database: createAskedDatabase(settings),
        reader: () => ({ now: now(), zone, buildWithinMs: flags.buildWithin, tokenMaxLifetimeMs }),
        signal: ended,
        ...(sources.length === 0 ? {} : { log: createGatewayLog(sources, ended) }),
      };
      const log = commandLogger(shell, settings, access.isShared);
      const server = createInspectServer({ inspection, gate: access.gate, log });
      try {
        const place = { host: access.host, port: flags.port, setting: "--port or --listen" };
        const invitation = access.invitation(await listen(server, place));
        shell.stdout.write(
          `Pages over ${printable(store.address)} at ${printable(invitation)} (Ctrl-C ends them)\n`,
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
 * Where to listen, the gate that admits users, and what to tell them, for one person or for a team. Throws
 * `usage` for options that would let everybody in (P61).
 */
async function inspectAccess(flags: Values<typeof accessFlags>, shell: Shell) {
  const { listen: host = loopback, hostName = [], userHeader, proxySecretFile } = flags;
  if (userHeader !== undefined) {
    const secret = await proxySecret(proxySecretFile);
    checkUserHeader(userHeader);
    const gate = createProxyGate({ userHeader, secret, hostNames: [host, ...hostName] });
    const invitation = (address: string) => `${address}/, for the proxy that signs people in`;
    return { host, gate, isShared: true, invitation };
  }
  if (proxySecretFile !== undefined) {
    throw new Failure("usage", "--proxy-secret-file goes with --user-header NAME, which says who signed in.");
  }
  if (host !== loopback || hostName.length > 0) {
    throw new Failure(
      "usage",
      "--listen and --host-name are for a team, which has to sign in: add --user-header NAME and --proxy-secret-file FILE, and put a proxy that authenticates in front.",
    );
  }
  const key = Buffer.from(shell.randomBytes(accessKeyBytes)).toString("base64url");
  const invitation = (address: string) => `${address}/?key=${key}`;
  return { host, gate: createKeyGate(key), isShared: false, invitation };
}

function checkUserHeader(name: string): void {
  const isTaken = ["authorization", "cookie", "host", secretHeader.toLowerCase()].includes(
    name.toLowerCase(),
  );
  if (isTaken || !/^[A-Za-z0-9-]{1,64}$/.test(name)) {
    throw new Failure("usage", `--user-header ${name} can't name a person; for example X-Forwarded-Email.`);
  }
}

/** The secret in the file, without white space around it. */
async function proxySecret(path: string | undefined): Promise<string> {
  if (path === undefined) {
    throw new Failure(
      "usage",
      `--user-header needs --proxy-secret-file FILE: what the proxy sends as ${secretHeader}, or anybody who reaches the port could send a name.`,
    );
  }
  const content = await readFile(path, "utf8").catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Failure("usage", `--proxy-secret-file ${path} can't be read (${code}).`, { cause: error });
  });
  const secret = content.trim();
  if (/^[\x21-\x7e]{32,512}$/.test(secret)) return secret;
  throw new Failure(
    "usage",
    `${path} has to hold 32 to 512 characters without spaces: \`(umask 077; openssl rand -hex 32 > ${path})\`.`,
  );
}
