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
 */
export function createFleetCounter(options: FleetCounterOptions): FleetCounter {
  const { url, windowSeconds, timeoutMs, insurance, logger } = options;
  // Loaded only here: the two packages take 12 MB of memory that a gateway without Redis does not need.
  const { createClient }: typeof import("redis") = require("redis");
  const { RateLimiterRedis }: typeof import("rate-limiter-flexible") = require("rate-limiter-flexible");
  // The window's length is part of the key, so a window that began under a longer setting is not continued.
  const keyPrefix = `partner-programs:window-${windowSeconds}s`;
  let wasShared: boolean | undefined;
  const outage = createOutageLog(logger, texts, () => performance.now());
  const batches = new Map<string, Batch>();
  let connection = open();

  function open() {
    const client = createClient({
      url: withoutLogin(url()).href,
      credentialsProvider: {
        type: "async-credentials-provider",
        credentials: async () => loginOf(url()),
      },
      disableOfflineQueue: true,
      // The client's own deadline would create an abort signal per request. `answeredWithin` is used instead.
      commandOptions: { timeout: 0 },
      socket: {
        connectTimeout: connectTimeoutMs,
        reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, 1000),
      },
    });
    client.on("error", (error: unknown) => noteAway(error));
    client.on("ready", () => noteShared());
    // With this strategy the client tries for ever, so the promise rejects only when the client is closed.
    client.connect().catch(() => {});
    const limiter = new RateLimiterRedis({
      storeClient: client,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      // The limit differs by token, so the caller checks it. This limiter only counts.
      points: Number.MAX_SAFE_INTEGER,
      duration: windowSeconds,
      keyPrefix,
    });
    return { client, limiter };
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
      // A connection that did not answer may never answer again, and would delay every request by the deadline.
      if (error instanceof NoAnswer && asked === connection) {
        asked.client.destroy();
        connection = open();
      }
      throw error;
    }
  }

  return {
    async hit(key) {
      if (!connection.client.isReady) return insurance.hit(key);
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

    isShared: () => wasShared === true && connection.client.isReady,

    close: () => connection.client.destroy(),
  };
}

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
