import { once } from "node:events";
import type { Server } from "node:http";
import { Failure } from "../core/ground/failure.ts";
import type { StoreId } from "../core/ground/ids.ts";
import { createAdminServer } from "../core/process/admin-server.ts";
import { listen } from "../core/process/listen.ts";
import type { Logger } from "../core/process/logger.ts";
import type { GatewaySettings } from "../core/process/settings.ts";
import { type Answering, createAnswering } from "./answering.ts";
import { type AccessLog, createAccessLog } from "./beside/access-log.ts";
import { createMetrics } from "./beside/metrics.ts";
import { filesFor, type OpenFiles, openFilesLimit, openFilesWithin } from "./beside/open-files.ts";
import { createReadiness, type Readiness } from "./beside/readiness.ts";
import { type Clocks, processClocks, usualWaits, type Waits } from "./clocks.ts";
import { settledWithin } from "./deadline.ts";
import { type ApiServer, closeServer, createApiServer } from "./request/api-server.ts";
import { type ClientAddresses, createClientAddresses } from "./request/client-address.ts";
import { beginExchange } from "./request/exchange.ts";
import { legacyHeaders } from "./request/respond.ts";
import { createStoreKnowledge, type StoreClients, type StoreKnowledge } from "./store-knowledge.ts";

export interface GatewayOptions extends StoreClients {
  readonly settings: GatewaySettings;
  /** This program's name in the log. */
  readonly program: string;
  readonly logger: Logger;
  /** Takes the lines of the access log. */
  readonly destination: { write(line: string): void };
  readonly clocks?: Clocks;
  /** The folder of the last good copy, see `lastGoodFolder`. Without one, no copy is kept. */
  readonly lastGoodFolder?: string | undefined;
  /** Replaces some of `usualWaits`. */
  readonly waits?: Partial<Waits>;
}

/** Puts the parts together, which share no state but what is passed here, and runs them. */
export class Gateway {
  readonly #settings: GatewaySettings;
  readonly #waits: Waits;
  readonly #metrics = createMetrics();
  readonly #knowledge: StoreKnowledge;
  readonly #answering: Answering;
  readonly #api: ApiServer;
  readonly #admin: Server;
  readonly #readiness: Readiness;
  readonly #sweeper: NodeJS.Timeout;
  readonly #stopping = new AbortController();

  constructor(options: GatewayOptions) {
    const { settings, logger, clocks = processClocks, lastGoodFolder } = options;
    const files = dividedFiles(settings, logger);
    const addresses = settings.trustedProxies && createClientAddresses(settings.trustedProxies);
    const accessLog = logger.isLevelEnabled("info")
      ? createAccessLog(
          options.destination,
          options.program,
          settings.rateLimitWindowSeconds,
          addresses?.clientOf,
        )
      : undefined;
    const metrics = this.#metrics;
    const waits = { ...usualWaits, ...options.waits };
    const shared = { settings, waits, logger, metrics };
    this.#settings = settings;
    this.#waits = waits;
    this.#knowledge = createStoreKnowledge({ ...shared, clients: options, clocks, lastGoodFolder });
    this.#answering = createAnswering({
      ...shared,
      knowledge: this.#knowledge,
      maxReads: files.reads,
      accessLog,
    });
    this.#api = this.#createApi(files, clocks, addresses, accessLog);
    this.#readiness = createReadiness({
      ...this.#knowledge,
      isStopping: () => this.#stopping.signal.aborted,
      isListening: () => this.#api.server.listening,
    });
    this.#admin = this.#createAdmin(clocks);
    this.#sweeper = setInterval(() => this.#knowledge.snapshots.sweep(), sweepMs);
  }

  /**
   * Opens the admin listener, then the API's when the token registry is confirmed or after
   * `waits.registryMs`: one that cannot tell good tokens from bad ones would answer 500. Throws `interrupted`
   * when `stop` is called meanwhile.
   */
  async start(): Promise<{ readonly api: string; readonly admin: string | undefined }> {
    const { mirror, watch, freshness, tokens } = this.#knowledge;
    const { host, port, storeId, adminHost, adminPort } = this.#settings;
    const { signal } = this.#stopping;
    await mirror?.open(storeId);
    watch.adopt(mirror?.storeId());
    signal.throwIfAborted();
    freshness.start();
    const adminAt = { host: adminHost, setting: "ADMIN_HOST or ADMIN_PORT" };
    const admin =
      adminPort === undefined
        ? undefined
        : await listen(this.#admin, { ...adminAt, port: adminPort }, signal);
    await settledWithin(this.#waits.registryMs, Promise.race([tokens.start(), once(signal, "abort")]));
    signal.throwIfAborted();
    return { api: await listen(this.#api.server, { host, port, setting: "HOST or PORT" }, signal), admin };
  }

  /** Why requests would not be served now; `undefined` while they would be. */
  notReadyCause(): string | undefined {
    return this.#readiness.notReadyCause();
  }

  /** The identity of the gateway's store; `undefined` while it is not known. */
  storeId(): StoreId | undefined {
    return this.#knowledge.watch.storeId();
  }

  logLinesLost(count: number): void {
    this.#metrics.lostLogLines(count);
  }

  /** Becomes unready, waits the shutdown delay, stops accepting, finishes requests within the grace time. */
  async stop(): Promise<void> {
    const { shutdownDelaySeconds, shutdownGraceSeconds } = this.#settings;
    const { freshness, tokens, mirror } = this.#knowledge;
    const { server, connections } = this.#api;
    this.#stopping.abort(new Failure("interrupted", "The gateway was stopped before it listened."));
    if (server.listening) {
      // W97: load balancers that ask `/readyz`, and clients told to close, go elsewhere before a refusal.
      await new Promise((resolve) => setTimeout(resolve, shutdownDelaySeconds * 1000));
      await closeServer(server, shutdownGraceSeconds * 1000, connections.endIdle);
    }
    freshness.stop();
    clearInterval(this.#sweeper);
    tokens.stop();
    await mirror?.stop();
    this.#answering.fleet?.close();
    if (this.#admin.listening) await closeServer(this.#admin, 0, () => {});
  }

  #createApi(
    files: OpenFiles,
    clocks: Clocks,
    addresses: ClientAddresses | undefined,
    accessLog: AccessLog | undefined,
  ): ApiServer {
    const settings = this.#settings;
    const metrics = this.#metrics;
    const { signal } = this.#stopping;
    const { handle } = this.#answering;
    return createApiServer({
      maxConnections: files.connections,
      headersTimeoutMs: settings.headersTimeoutSeconds * 1000,
      keepAliveTimeoutMs: settings.keepAliveTimeoutSeconds * 1000,
      legacyHeaders: legacyHeaders(settings.legacyDeprecatedAt, settings.legacySunset),
      isProxy: addresses?.isProxy,
      handle(req, res, connection) {
        const closes = signal.aborted || connection.requests >= maxRequestsPerConnection;
        beginExchange({ req, res, connection, startedAtMs: clocks.monotonicMs(), closes }, handle);
      },
      onRefusal(refusal) {
        metrics.request(refusal.route, refusal.status, 0);
        accessLog?.refusal(refusal);
      },
      onCut(requestId, cause) {
        metrics.connectionCut(cause.code);
        accessLog?.cut(requestId, cause);
      },
    });
  }

  #createAdmin(clocks: Clocks): Server {
    const { connections } = this.#api;
    const readiness = this.#readiness;
    const parts = { ...this.#knowledge, ...this.#answering, clocks, readiness, connections };
    const metrics = this.#metrics;
    return createAdminServer({
      hostNames: [this.#settings.adminHost, ...this.#settings.adminHostNames],
      notReadyCause: readiness.notReadyCause,
      note: readiness.note,
      metrics: { contentType: metrics.contentType, text: () => metrics.text(parts) },
    });
  }
}

/** What the process may open, told when that is less than it should be (W188). */
function dividedFiles({ maxConnections }: GatewaySettings, logger: Logger): OpenFiles {
  const limit = openFilesLimit();
  const files = openFilesWithin(limit, maxConnections);
  if (!files.isShort) return files;
  const cause = `the process may open ${limit} files, and should be able to open ${filesFor(maxConnections)}`;
  logger.warn({ cause }, `at most ${files.connections} connections are taken; raise the limit (ulimit -n)`);
  return files;
}

const sweepMs = 60_000;
/** W61: then the connection is closed, so that a load balancer spreads long-lived ones anew. */
const maxRequestsPerConnection = 10_000;
