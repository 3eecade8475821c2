import { setMaxListeners } from "node:events";
import { Readable } from "node:stream";
import { createGatewayLog } from "../../cli/read/gateway-log/recent-answers.ts";
import { createAskedDatabase } from "../../cli/support/facts/asked-database.ts";
import { createKeyGate } from "../../cli/support/pages/access.ts";
import { createInspectServer } from "../../cli/support/pages/inspect-server.ts";
import { createLogger } from "../../core/process/logger.ts";
import { parseSettings } from "../../core/process/setting-parser.ts";
import { cliSettings } from "../../core/process/settings.ts";
import { createFileStore } from "../../core/store/file-store/file-store.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { openServer } from "./open-server.ts";
import type { SupportDesk } from "./support-desk.ts";

/** The pages of `inspect` over a support desk, on a free port. */
export type InspectFixture = Awaited<ReturnType<typeof startInspect>>;

export async function startInspect(
  desk: SupportDesk,
  options: {
    readonly now?: Date;
    readonly zone?: string;
    readonly store?: ObjectStore;
    /** The gateway's log. */
    readonly logFile?: string;
  } = {},
) {
  const parsed = parseSettings(cliSettings, desk.env);
  if (!parsed.ok) throw new Error(parsed.faults.join("; "));
  const key = "the-key-of-this-run";
  const { signal } = new AbortController();
  // As `main.ts` does: every question in flight listens.
  setMaxListeners(0, signal);
  const inspection = {
    // A store of its own, since pages remember for a minute which manifests are whole.
    store: options.store ?? createFileStore({ directory: desk.storeDirectory }),
    database: createAskedDatabase(parsed.values),
    reader: () => ({ now: options.now ?? new Date(), zone: options.zone ?? "UTC" }),
    signal,
    ...(options.logFile === undefined
      ? {}
      : { log: createGatewayLog([{ name: options.logFile, stdin: Readable.from([]) }], signal) }),
  };
  const server = createInspectServer({ inspection, gate: createKeyGate(key), log: silentLog });
  const { url, port, close } = await openServer(server);
  const cookie = `partner-programs-${port}=${key}`;
  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(url + path, { headers: { cookie, ...headers } });
  return {
    url,
    port,
    key,
    /** What a browser sends that was let in. */
    cookie,
    /** The address that lets a browser in. */
    welcome: `http://127.0.0.1:${port}/?key=${key}`,
    /** A GET of somebody who was let in. */
    get,
    /** The words of a page, as its markup has them, with single spaces. */
    words: async (path: string) =>
      (await (await get(path)).text()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " "),
    close,
  };
}

const silentLog = createLogger({ level: "silent", program: "test", destination: { write: () => {} } });
