import { once } from "node:events";
import { showStoreAddress } from "../core/addresses.ts";
import { createAdminServer } from "../core/admin-server.ts";
import { Failure } from "../core/failure.ts";
import type { StoreId } from "../core/ids.ts";
import { listen } from "../core/listen.ts";
import type { Logger } from "../core/logger.ts";
import { type SettingValues, valueNow } from "../core/setting-parser.ts";
import { gatewaySettings } from "../core/settings.ts";
import { createAccessLog } from "./access-log.ts";
import { closeServer, createApiServer } from "./api-server.ts";
import { BodyCache } from "./body-cache.ts";
import { createBodyPacker } from "./body-packer.ts";
import { createBodyOpener } from "./body-stream.ts";
import { createClientAddresses } from "./client-address.ts";
import { type Clocks, processClocks, usualWaits, type Waits } from "./clocks.ts";
import { settledWithin } from "./deadline.ts";
import { atEndOfTurn } from "./end-of-turn.ts";
import { beginExchange } from "./exchange.ts";
import { FairShares } from "./fair-shares.ts";
import { FleetCounter } from "./fleet-counter.ts";
import { createFreshness } from "./freshness.ts";
import { createRequestHandler } from "./handle-request.ts";
import { LiveSnapshots } from "./live-snapshots.ts";
import { createMetrics } from "./metrics.ts";
import { Mirror } from "./mirror.ts";
import { filesFor, openFilesLimit, openFilesWithin } from "./open-files.ts";
import { createProcessCounter } from "./quota.ts";
import { createReadiness } from "./readiness.ts";
import { createResponder, legacyHeaders, snapshotHeaders } from "./respond.ts";
import { createAnswerSender } from "./send-answer.ts";
import { createStoreWatch, measuredReader, type StoreReader } from "./store-watch.ts";
import { createTokenDirectory } from "./token-directory.ts";

export type GatewaySettings = SettingValues<typeof gatewaySettings>;

export interface GatewayOptions {
  readonly settings: GatewaySettings;
  readonly store: StoreReader;
  /** A client of its own for pointers, manifests and run documents, so that bodies under way never delay a withdrawal (W185). */
  readonly documentStore: StoreReader;
  /** A client of its own, so that bodies under way never delay a revocation. */
  readonly tokenStore: StoreReader;
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

export interface Gateway {
  /**
   * Opens the admin listener, then the API's when the token registry is confirmed or after `waits.registryMs`: one that cannot tell
   * good tokens from bad ones would answer 500. Throws `interrupted` when `stop` is called meanwhile.
   */
  start(): Promise<{ readonly api: string; readonly admin: string | undefined }>;
  /** Why requests would not be served now; `undefined` while they would be. */
  notReadyCause(): string | undefined;
  /** The identity of the gateway's store; `undefined` while it is not known. */
  storeId(): StoreId | undefined;
  logLinesLost(count: number): void;
  /** Becomes unready, waits the shutdown delay, stops accepting, and finishes requests under way within the grace time. */
  stop(): Promise<void>;
}

/** Puts the parts together. They share no state but what is passed here. */
export function createGateway(options: GatewayOptions): Gateway {
  const { settings, logger, clocks = processClocks, lastGoodFolder: folder } = options;
  const clock = clocks.monotonicMs;
  const waits = { ...usualWaits, ...options.waits };
  const { rateLimitWindowSeconds: windowSeconds, redisUrl, trustedProxies } = settings;
  const keepAliveTimeoutMs = settings.keepAliveTimeoutSeconds * 1000;
  // A driver tries a call up to three times, each within the timeout.
  const callTimeoutMs = 3 * settings.storeTimeoutMs + 1000;
  const stopping = new AbortController();
  const { signal } = stopping;

  const openFiles = openFilesWithin(openFilesLimit(), settings.maxConnections);
  if (openFiles.isShort) {
    const cause = `the process may open ${openFilesLimit()} files, and should be able to open ${filesFor(settings.maxConnections)}`;
    logger.warn(
      { cause },
      `at most ${openFiles.connections} connections are taken; raise the limit (ulimit -n)`,
    );
  }

  const metrics = createMetrics();
  const addresses = trustedProxies && createClientAddresses(trustedProxies);
  const accessLog = logger.isLevelEnabled("info")
    ? createAccessLog(options.destination, options.program, windowSeconds, addresses?.clientOf)
    : undefined;

  const tokenStore = measuredReader(options.tokenStore, clock, metrics.storeCall);
  const watch = createStoreWatch({
    store: tokenStore,
    address: showStoreAddress(settings.storeUrl),
    wanted: settings.storeId,
    clock,
  });
  const isStoreAway = (): boolean => tokens.isFromCopy() || tokens.failure() !== undefined;
  const mirror =
    folder === undefined
      ? undefined
      : new Mirror({ folder, identity: watch.found, isStoreAway, clocks, waits, logger });
  const readerOf = (client: StoreReader): StoreReader => {
    const own = watch.guard(measuredReader(client, clock, metrics.storeCall));
    return mirror?.behind(own) ?? own;
  };
  const store = readerOf(options.store);
  const logFields = () => ({ storeId: watch.storeId(), otherStoreId: watch.otherStoreId() });
  const reading = {
    store: readerOf(options.documentStore),
    clocks,
    callTimeoutMs,
    logger,
    logFields,
    mirror,
  };

  const tokens = createTokenDirectory({
    ...reading,
    store: watch.guard(tokenStore),
    refreshMs: settings.tokenRefreshMs,
    maxStaleMs: settings.tokenMaxStaleSeconds * 1000,
    defaultLimit: settings.rateLimitRequests,
  });
  const freshness = createFreshness({
    ...reading,
    refreshMs: waits.confirmedMs,
    onChange: () => snapshots.updateHeaders(),
  });
  const snapshots = new LiveSnapshots({
    ...reading,
    refreshMs: settings.snapshotRefreshMs,
    maxStaleMs: settings.snapshotMaxStaleSeconds * 1000,
    headersOf: ({ tenantId, manifest }) =>
      snapshotHeaders(manifest, freshness.confirmedAt(tenantId, manifest.snapshotId)),
  });
  const openBody = createBodyOpener(store, callTimeoutMs, mirror);
  // A read whose share came late still has half of its time.
  const reads = new FairShares(openFiles.reads, callTimeoutMs / 2, metrics.shareRefused);
  const bodies = new BodyCache({
    ...reading,
    store,
    reads,
    packer: createBodyPacker(openBody, reads, callTimeoutMs),
    maxBytes: settings.cacheMaxMb * 1024 * 1024,
    packingWaitMs: waits.packingMs,
    onLookup: metrics.cacheLookup,
  });

  // W53: this process counts when no Redis is set, and while Redis is away.
  const ownCounter = createProcessCounter(windowSeconds, clock);
  const fleet =
    redisUrl &&
    new FleetCounter({
      url: () => valueNow(gatewaySettings.redisUrl, settings.redisUrlFile, redisUrl) ?? redisUrl,
      windowSeconds,
      timeoutMs: waits.redisMs,
      insurance: ownCounter,
      logger,
    });
  const legacy = legacyHeaders(settings.legacyDeprecatedAt, settings.legacySunset);
  const respond = createResponder({
    open: openBody,
    reads,
    bodies,
    windowSeconds,
    legacyHeaders: legacy,
    send: createAnswerSender(keepAliveTimeoutMs),
    limits: { stallMs: settings.sendStallSeconds * 1000, totalMs: settings.sendTimeoutSeconds * 1000 },
    observe(exchange, outcome) {
      const nowMs = clock();
      const { route, token, startedAtMs } = exchange;
      metrics.request(route, outcome.status, nowMs - startedAtMs);
      if (token !== undefined) metrics.tokenRequest(token.tokenId, outcome.status, exchange.quota, nowMs);
      accessLog?.exchange(exchange, outcome, nowMs);
    },
  });
  const handleRequest = atEndOfTurn(
    createRequestHandler({
      tokens,
      counter: fleet ?? ownCounter,
      windowSeconds,
      snapshots,
      bodies,
      respond,
    }),
  );

  const { server: apiServer, connections } = createApiServer({
    maxConnections: openFiles.connections,
    headersTimeoutMs: settings.headersTimeoutSeconds * 1000,
    keepAliveTimeoutMs,
    legacyHeaders: legacy,
    isProxy: addresses?.isProxy,
    handle(req, res, connection) {
      const closes = signal.aborted || connection.requests >= maxRequestsPerConnection;
      beginExchange({ req, res, connection, startedAtMs: clock(), closes }, handleRequest);
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

  const readiness = createReadiness({
    tokens,
    watch,
    snapshots,
    isStopping: () => signal.aborted,
    isListening: () => apiServer.listening,
  });
  const parts = {
    clocks,
    tokens,
    watch,
    snapshots,
    readiness,
    freshness,
    bodies,
    connections,
    fleet,
    mirror,
  };
  const adminServer = createAdminServer({
    hostNames: [settings.adminHost, ...settings.adminHostNames],
    notReadyCause: readiness.notReadyCause,
    note: readiness.note,
    metrics: { contentType: metrics.contentType, text: () => metrics.text(parts) },
  });
  const sweeper = setInterval(() => snapshots.sweep(), sweepMs);

  async function listenAdmin(): Promise<string | undefined> {
    const { adminHost: host, adminPort: port } = settings;
    const setting = "ADMIN_HOST or ADMIN_PORT";
    return port === undefined ? undefined : await listen(adminServer, { host, port, setting }, signal);
  }

  return {
    async start() {
      await mirror?.open(settings.storeId);
      watch.adopt(mirror?.storeId());
      signal.throwIfAborted();
      freshness.start();
      const admin = await listenAdmin();
      await settledWithin(waits.registryMs, Promise.race([tokens.start(), once(signal, "abort")]));
      signal.throwIfAborted();
      const { host, port } = settings;
      return { api: await listen(apiServer, { host, port, setting: "HOST or PORT" }, signal), admin };
    },

    notReadyCause: readiness.notReadyCause,
    storeId: watch.storeId,
    logLinesLost: metrics.lostLogLines,

    async stop() {
      stopping.abort(new Failure("interrupted", "The gateway was stopped before it listened."));
      if (apiServer.listening) {
        // W97: load balancers that ask `/readyz`, and clients that are told to close, can go elsewhere before anything is refused.
        await new Promise((resolve) => setTimeout(resolve, settings.shutdownDelaySeconds * 1000));
        await closeServer(apiServer, settings.shutdownGraceSeconds * 1000, connections.endIdle);
      }
      freshness.stop();
      clearInterval(sweeper);
      tokens.stop();
      await mirror?.stop();
      fleet?.close();
      if (adminServer.listening) await closeServer(adminServer, 0, () => {});
    },
  };
}

const sweepMs = 60_000;
/** W61: then the connection is closed, so that a load balancer spreads long-lived ones anew. */
const maxRequestsPerConnection = 10_000;
