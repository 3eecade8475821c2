import { createRequire } from "node:module";
import { asFailure } from "../core/failure.ts";
import type { Logger } from "../core/logger.ts";
import { valueWithin } from "./deadline.ts";
import { createOutageLog } from "./outage-log.ts";
import type { WindowCounter, WindowState } from "./quota.ts";

const require = createRequire(import.meta.url);

/** One counter for all gateways that share a Redis or Valkey. */
export interface FleetCounter extends WindowCounter {
  /** Whether hits are counted for the whole fleet now; else by this process alone. */
  isShared(): boolean;
  close(): void;
}

/**
 * Counts in Redis, where increment and expiry are one atomic script. While Redis is away, also at the start, `insurance`
 * counts (W53). A partner then gets at most one more quota per gateway and window, and never an error.
 *
 * The URL names a single server, an address behind which servers fail over, or any node of a Redis Cluster, which is found out when
 * the connection is made. A connection whose server cannot count is ended: only a new one finds the server that took its place.
 */
export function createFleetCounter(options: {
  /** Read again for each new connection, since passwords are rotated (P100). May throw. */
  readonly url: () => URL;
  readonly windowSeconds: number;
  /** How long a request waits for Redis before this process counts it alone. */
  readonly timeoutMs: number;
  /** Counts while Redis is away. */
  readonly insurance: WindowCounter;
  readonly logger: Logger;
}): FleetCounter {
  const { url, windowSeconds, timeoutMs, insurance, logger } = options;
  // Loaded only here: the two packages take 12 MB of memory that a gateway without Redis does not need.
  const { createClient, createCluster }: typeof import("redis") = require("redis");
  const { RateLimiterRedis }: typeof import("rate-limiter-flexible") = require("rate-limiter-flexible");
  const outage = createOutageLog(logger, texts, () => performance.now());
  let wasShared: boolean | undefined;
  let reopening: NodeJS.Timeout | undefined;
  let connection: Connection | undefined = openServer();

  function clientOptions() {
    return {
      credentialsProvider: {
        type: "async-credentials-provider",
        credentials: async () => loginOf(url()),
      },
      disableOfflineQueue: true,
      // The client's own deadline would create an abort signal per request. `valueWithin` is used instead.
      commandOptions: { timeout: 0 },
    } as const;
  }

  function socketOptions() {
    return {
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, 1000),
    };
  }

  function connectionOf(client: Client, isReady: () => boolean): Connection {
    client.on("error", noteAway);
    const limiter = new RateLimiterRedis({
      storeClient: client,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      // The limit differs by token, so the caller checks it. This limiter only counts.
      points: Number.MAX_SAFE_INTEGER,
      duration: windowSeconds,
      // The window's length is part of the key, so a window that began under a longer setting is not continued.
      keyPrefix: `partner-programs:window-${windowSeconds}s`,
    });
    return { limiter, isReady, close: () => client.destroy() };
  }

  function openServer(): Connection {
    const client = createClient({
      ...clientOptions(),
      url: withoutLogin(url()).href,
      socket: socketOptions(),
    });
    let isKnown = false;
    const opened = connectionOf(client, () => isKnown && client.isReady);
    client.on("ready", async () => {
      // A client that may not ask for INFO learns of a cluster from its first answer.
      const info = await client.info("cluster").catch(() => "");
      if (connection !== opened) return;
      if (/cluster_enabled:1/.test(info)) switchTo(openCluster);
      else {
        isKnown = true;
        noteShared();
      }
    });
    // With this strategy the client tries for ever, so the promise rejects only when the client is closed.
    client.connect().catch(() => {});
    return opened;
  }

  function openCluster(): Connection {
    const server = withoutLogin(url());
    const socket = { ...socketOptions(), ...(server.protocol === "rediss:" ? { tls: true as const } : {}) };
    const root = { ...clientOptions(), url: server.href, socket: { connectTimeout: connectTimeoutMs } };
    const cluster = createCluster({ rootNodes: [root], defaults: { ...clientOptions(), socket } });
    let isConnected = false;
    const opened = connectionOf(cluster, () => isConnected);
    const note = (): void => {
      isConnected = true;
      if (connection === opened) noteShared();
    };
    cluster.connect().then(note, (error: unknown) => {
      noteAway(error);
      if (connection === opened) reopen();
    });
    return opened;
  }

  function closeConnection(): void {
    try {
      connection?.close();
    } catch {
      // The client throws when it is closed already.
    }
    connection = undefined;
  }

  function switchTo(open: () => Connection): void {
    closeConnection();
    try {
      connection = open();
    } catch (error) {
      // The file with the URL could not be read.
      noteAway(error);
      reopen();
    }
  }

  /** After a pause, since the address may still lead to the server that cannot count. */
  function reopen(): void {
    closeConnection();
    reopening = setTimeout(switchTo, reopenPauseMs, openServer);
  }

  function noteShared(): void {
    if (wasShared === undefined) logger.info(texts.succeeded);
    else if (!wasShared) outage.succeeded();
    wasShared = true;
  }

  function noteAway(error: unknown): void {
    outage.failed(asFailure(error));
    wasShared = false;
  }

  /** The state after one more hit. Rejects when Redis does not count it. */
  async function count(asked: Connection, key: string): Promise<WindowState> {
    try {
      const state = await valueWithin(timeoutMs, asked.limiter.consume(key, 1));
      if (state === undefined) throw new Error(`${noAnswer} within ${timeoutMs} ms.`);
      noteShared();
      return state;
    } catch (error) {
      noteAway(error);
      const text = error instanceof Error ? error.message : "";
      if (asked === connection && text.startsWith("MOVED ")) switchTo(openCluster);
      else if (asked === connection && cannotCount.test(text)) reopen();
      throw error;
    }
  }

  return {
    async hit(key) {
      if (connection?.isReady() !== true) return insurance.hit(key);
      try {
        return await count(connection, key);
      } catch {
        return insurance.hit(key);
      }
    },

    isShared: () => wasShared === true && connection?.isReady() === true,

    close() {
      clearTimeout(reopening);
      closeConnection();
    },
  };
}

type Client = { on(event: "error", listener: (error: unknown) => void): unknown; destroy(): void };

/** To one server, or to a cluster. */
interface Connection {
  readonly limiter: { consume(key: string, points: number): Promise<WindowState> };
  isReady(): boolean;
  close(): void;
}

const noAnswer = "Redis did not answer";
/** A connection that did not answer would delay every request. The rest: demoted, starting, master or cluster down. */
const cannotCount = /^(Redis did not answer|READONLY|LOADING|MASTERDOWN|CLUSTERDOWN)\b/;
const reopenPauseMs = 500;
const connectTimeoutMs = 2000;

function withoutLogin(url: URL): URL {
  const server = new URL(url);
  server.username = "";
  server.password = "";
  return server;
}

function loginOf({ username, password }: URL): { readonly username?: string; readonly password: string } {
  return {
    ...(username === "" ? {} : { username: decodeURIComponent(username) }),
    password: decodeURIComponent(password),
  };
}

const texts = {
  failed: "Redis is away: requests are counted by this process alone",
  succeeded: "requests are counted in Redis, for the whole fleet",
};
