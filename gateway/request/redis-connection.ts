import { createRequire } from "node:module";
import { valueWithin } from "../deadline.ts";
import type { WindowState } from "./quota.ts";

const require = createRequire(import.meta.url);

export interface RedisConnectionOptions {
  /** Read again for each new connection, since passwords are rotated (P100). May throw. */
  readonly url: () => URL;
  readonly windowSeconds: number;
  /** Called when the connection can count, and each time that it can again. */
  readonly onReady: () => void;
  readonly onAway: (error: unknown) => void;
}

/**
 * The connection to Redis: to a single server, to an address behind which servers fail over, or to a Redis
 * Cluster, of which the URL names any node, which is found out when the connection is made. There is one
 * client at a time, or none between two. What a client says that has been replaced counts for nothing.
 */
export class RedisConnection {
  readonly #options: RedisConnectionOptions;
  readonly #packages = loadedPackages();
  #client: OpenClient | undefined;
  #reopening: NodeJS.Timeout | undefined;

  /** Throws what `url` throws: later on that is reported, and tried again. */
  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.#client = this.#openServer();
  }

  isReady(): boolean {
    return this.#client?.isReady() === true;
  }

  /** The window's state after one more hit. Rejects if the server does not count it. Only while `isReady`. */
  async count(key: string, timeoutMs: number): Promise<WindowState> {
    const asked = this.#client;
    try {
      const state = asked && (await valueWithin(timeoutMs, asked.limiter.consume(key, 1)));
      if (state === undefined) throw new Error(`${noAnswer} within ${timeoutMs} ms.`);
      return state;
    } catch (error) {
      const next = remedyOf(error instanceof Error ? error.message : "");
      if (asked === this.#client && next === "cluster") this.#switchTo(() => this.#openCluster());
      else if (asked === this.#client && next === "other_server") this.#reopen();
      throw error;
    }
  }

  close(): void {
    clearTimeout(this.#reopening);
    this.#closeClient();
  }

  #openServer(): OpenClient {
    const { url, onReady } = this.#options;
    const client = this.#packages.createClient({
      ...loginOptions(url),
      url: withoutLogin(url()).href,
      socket: socketOptions,
    });
    let isKnown = false;
    const opened = this.#openClient(client, () => isKnown && client.isReady);
    client.on("ready", async () => {
      // A client that may not ask for INFO learns of a cluster from its first answer.
      const info = await client.info("cluster").catch(() => "");
      if (this.#client !== opened) return;
      if (/cluster_enabled:1/.test(info)) this.#switchTo(() => this.#openCluster());
      else {
        isKnown = true;
        onReady();
      }
    });
    // With this strategy the client tries for ever, so the promise rejects only when the client is closed.
    client.connect().catch(() => {});
    return opened;
  }

  #openCluster(): OpenClient {
    const { url, onReady, onAway } = this.#options;
    const server = withoutLogin(url());
    const socket = { ...socketOptions, ...(server.protocol === "rediss:" ? { tls: true as const } : {}) };
    const login = loginOptions(url);
    const root = { ...login, url: server.href, socket: { connectTimeout: socketOptions.connectTimeout } };
    const cluster = this.#packages.createCluster({ rootNodes: [root], defaults: { ...login, socket } });
    let isConnected = false;
    const opened = this.#openClient(cluster, () => isConnected);
    const note = (): void => {
      isConnected = true;
      if (this.#client === opened) onReady();
    };
    cluster.connect().then(note, (error: unknown) => {
      onAway(error);
      if (this.#client === opened) this.#reopen();
    });
    return opened;
  }

  #openClient(client: Client, isReady: () => boolean): OpenClient {
    const { windowSeconds, onAway } = this.#options;
    client.on("error", onAway);
    const limiter = new this.#packages.RateLimiterRedis({
      storeClient: client,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      // The limit differs by token, so the caller checks it. This limiter only counts.
      points: Number.MAX_SAFE_INTEGER,
      duration: windowSeconds,
      // The window's length is in the key, so a window that began under a longer setting is not continued.
      keyPrefix: `partner-programs:window-${windowSeconds}s`,
    });
    return { limiter, isReady, close: () => client.destroy() };
  }

  #switchTo(open: () => OpenClient): void {
    this.#closeClient();
    try {
      this.#client = open();
    } catch (error) {
      // The file with the URL could not be read.
      this.#options.onAway(error);
      this.#reopen();
    }
  }

  /** After a pause, since the address may still lead to the server that cannot count. */
  #reopen(): void {
    this.#closeClient();
    this.#reopening = setTimeout(() => this.#switchTo(() => this.#openServer()), reopenPauseMs);
  }

  #closeClient(): void {
    try {
      this.#client?.close();
    } catch {
      // The client throws when it is closed already.
    }
    this.#client = undefined;
  }
}

/** Loaded only here: the two packages take 12 MB of memory that a gateway without Redis does not need. */
function loadedPackages() {
  const { createClient, createCluster }: typeof import("redis") = require("redis");
  const { RateLimiterRedis }: typeof import("rate-limiter-flexible") = require("rate-limiter-flexible");
  return { createClient, createCluster, RateLimiterRedis };
}

type Client = { on(event: "error", listener: (error: unknown) => void): unknown; destroy(): void };

/** To one server, or to a cluster. */
interface OpenClient {
  readonly limiter: { consume(key: string, points: number): Promise<WindowState> };
  isReady(): boolean;
  close(): void;
}

/** What a fault asks for: only a new connection finds a cluster's nodes, or a server's successor. */
export function remedyOf(fault: string): "cluster" | "other_server" | "none" {
  if (fault.startsWith("MOVED ")) return "cluster";
  return cannotCount.test(fault) ? "other_server" : "none";
}

const noAnswer = "Redis did not answer";
/**
 * Redis that does not answer would delay all requests. The rest: demoted, starting, master or cluster down.
 */
const cannotCount = /^(Redis did not answer|READONLY|LOADING|MASTERDOWN|CLUSTERDOWN)\b/;
const reopenPauseMs = 500;

const socketOptions = {
  connectTimeout: 2000,
  reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, 1000),
};

function loginOptions(url: () => URL) {
  return {
    credentialsProvider: { type: "async-credentials-provider", credentials: async () => loginOf(url()) },
    disableOfflineQueue: true,
    // The client's own deadline would create an abort signal per request. `valueWithin` is used instead.
    commandOptions: { timeout: 0 },
  } as const;
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
