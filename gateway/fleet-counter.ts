import { createRequire } from "node:module";
import { asFailure } from "../core/failure.ts";
import type { Logger } from "../core/logger.ts";
import { createOutageLog } from "./outage-log.ts";
import type { WindowCounter, WindowState } from "./quota.ts";

const require = createRequire(import.meta.url);

/** One counter for all gateways that share a Redis or Valkey. */
export interface FleetCounter extends WindowCounter {
  /** Whether hits are counted for the whole fleet now; else by this process alone. */
  isShared(): boolean;
  close(): void;
}

export interface FleetCounterOptions {
  /** Read again for each new connection, since passwords are rotated (P100). May throw. */
  readonly url: () => URL;
  readonly windowSeconds: number;
  /** How long a request waits for Redis before this process counts it alone. */
  readonly timeoutMs: number;
  /** Counts while Redis is away. */
  readonly insurance: WindowCounter;
  readonly logger: Logger;
}

/**
 * Counts in Redis, where increment and expiry are one atomic script. While Redis is away, also at the start, `insurance`
 * counts (W53). A partner then gets at most one more quota per gateway and window, and never an error. Hits of one key
 * by requests that are handled together go to Redis as one call, and each request gets its own place in the sum.
 *
 * The URL names a single server, an address behind which servers fail over, or any node of a Redis Cluster, which is found out when
 * the connection is made. A connection that does not answer, or whose server says that it cannot count, is ended: only a new one
 * finds the server that took its place.
 */
export function createFleetCounter(options: FleetCounterOptions): FleetCounter {
  const { url, windowSeconds, timeoutMs, insurance, logger } = options;
  // Loaded only here: the two packages take 12 MB of memory that a gateway without Redis does not need.
  const { createClient, createCluster }: typeof import("redis") = require("redis");
  const { RateLimiterRedis }: typeof import("rate-limiter-flexible") = require("rate-limiter-flexible");
  // The window's length is part of the key, so a window that began under a longer setting is not continued.
  const keyPrefix = `partner-programs:window-${windowSeconds}s`;
  let wasShared: boolean | undefined;
  const outage = createOutageLog(logger, texts, () => performance.now());
  const batches = new Map<string, Batch>();
  let reopening: NodeJS.Timeout | undefined;
  let connection = openServer();

  function commonOptions() {
    return {
      credentialsProvider: {
        type: "async-credentials-provider",
        credentials: async () => loginOf(url()),
      },
      disableOfflineQueue: true,
      // The client's own deadline would create an abort signal per request. `answeredWithin` is used instead.
      commandOptions: { timeout: 0 },
    } as const;
  }

  function socketOptions() {
    return {
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, 1000),
    };
  }

  function limiterOver(storeClient: object): InstanceType<typeof RateLimiterRedis> {
    return new RateLimiterRedis({
      storeClient,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      // The limit differs by token, so the caller checks it. This limiter only counts.
      points: Number.MAX_SAFE_INTEGER,
      duration: windowSeconds,
      keyPrefix,
    });
  }

  function openServer(): Connection {
    const client = createClient({
      ...commonOptions(),
      url: withoutLogin(url()).href,
      socket: socketOptions(),
    });
    let isKnown = false;
    const opened: Connection = {
      limiter: limiterOver(client),
      isReady: () => isKnown && client.isReady,
      close: () => client.destroy(),
    };
    client.on("error", (error: unknown) => noteAway(error));
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
    const cluster = createCluster({
      rootNodes: [{ ...commonOptions(), url: server.href, socket: { connectTimeout: connectTimeoutMs } }],
      defaults: { ...commonOptions(), socket },
    });
    let isConnected = false;
    const opened: Connection = {
      limiter: limiterOver(cluster),
      isReady: () => isConnected,
      close: () => cluster.destroy(),
    };
    cluster.on("error", (error: unknown) => noteAway(error));
    cluster.connect().then(
      () => {
        isConnected = true;
        if (connection === opened) noteShared();
      },
      (error: unknown) => {
        noteAway(error);
        if (connection === opened) reopen();
      },
    );
    return opened;
  }

  function switchTo(open: () => Connection): void {
    closeQuietly(connection);
    connection = open();
  }

  /** After a pause, since the address may still lead to the server that cannot count. */
  function reopen(): void {
    closeQuietly(connection);
    connection = closedConnection(connection);
    reopening = setTimeout(() => {
      connection = openServer();
    }, reopenPauseMs);
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

  /** Begins a batch for the key. The batch gathers the hits of all requests that are handled in one turn of the event loop. */
  function begin(key: string): Batch {
    const counted = Promise.resolve().then(() => {
      batches.delete(key);
      return count(key, batch.hits);
    });
    const batch: Batch = { hits: 0, counted };
    batches.set(key, batch);
    return batch;
  }

  /** The state after `hits` more hits. Rejects when Redis does not count them. */
  async function count(key: string, hits: number): Promise<WindowState> {
    const asked = connection;
    try {
      const state = await answeredWithin(timeoutMs, asked.limiter.consume(key, hits));
      noteShared();
      return state;
    } catch (error) {
      noteAway(error);
      if (asked === connection) {
        const text = error instanceof Error ? error.message : "";
        // A connection that did not answer may never answer again, and would delay every request by the deadline.
        if (error instanceof NoAnswer || cannotCount.test(text)) reopen();
        else if (text.startsWith("MOVED ")) switchTo(openCluster);
      }
      throw error;
    }
  }

  return {
    async hit(key) {
      if (!connection.isReady()) return insurance.hit(key);
      const batch = batches.get(key) ?? begin(key);
      batch.hits += 1;
      const place = batch.hits;
      try {
        const { consumedPoints, msBeforeNext } = await batch.counted;
        return { consumedPoints: consumedPoints - batch.hits + place, msBeforeNext };
      } catch {
        return insurance.hit(key);
      }
    },

    isShared: () => wasShared === true && connection.isReady(),

    close() {
      clearTimeout(reopening);
      closeQuietly(connection);
      connection = closedConnection(connection);
    },
  };
}

/** To one server, or to a cluster. */
interface Connection {
  readonly limiter: { consume(key: string, points: number): Promise<WindowState> };
  isReady(): boolean;
  close(): void;
}

function closedConnection({ limiter }: Connection): Connection {
  return { limiter, isReady: () => false, close: () => {} };
}

/** The client throws when it is closed already. */
function closeQuietly(connection: Connection): void {
  try {
    connection.close();
  } catch {
    // It is closed.
  }
}

/** Answers of a server that was demoted, that is starting, or whose cluster or master is down. */
const cannotCount = /^(READONLY|LOADING|MASTERDOWN|CLUSTERDOWN)\b/;
const reopenPauseMs = 500;

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

interface Batch {
  hits: number;
  /** The window's state after all hits of the batch. */
  readonly counted: Promise<WindowState>;
}

const texts = {
  failed: "Redis is away: requests are counted by this process alone",
  succeeded: "requests are counted in Redis, for the whole fleet",
};

const connectTimeoutMs = 2000;

class NoAnswer extends Error {}

async function answeredWithin<Result>(timeoutMs: number, answer: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new NoAnswer(`Redis did not answer within ${timeoutMs} ms.`));
    // `giveUp` waits for one more turn: if this process was held up, the answer may be in the socket, and is read first.
    timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
  });
  try {
    return await Promise.race([answer, expired]);
  } finally {
    clearTimeout(timer);
  }
}
