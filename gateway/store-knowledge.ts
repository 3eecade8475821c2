import type { Logger } from "../core/process/logger.ts";
import type { GatewaySettings } from "../core/process/settings.ts";
import { showStoreAddress } from "../core/process/store-address.ts";
import type { Metrics } from "./beside/metrics.ts";
import type { Clocks, Waits } from "./clocks.ts";
import { createFreshness } from "./known/freshness.ts";
import { LiveSnapshots } from "./known/live-snapshots.ts";
import { Mirror } from "./known/mirror.ts";
import { measuredReader, type StoreReader } from "./known/store-reader.ts";
import { StoreWatch } from "./known/store-watch.ts";
import { TokenDirectory } from "./known/token-directory.ts";
import { snapshotHeaders } from "./request/respond.ts";

/** The clients of the store, each its own, so that bodies never delay what the others read. */
export interface StoreClients {
  /** For bodies. */
  readonly store: StoreReader;
  /** For pointers, manifests and run documents: bodies under way never delay a withdrawal (W185). */
  readonly documentStore: StoreReader;
  /** For the registry: bodies under way never delay a revocation. */
  readonly tokenStore: StoreReader;
}

/** What the process knows of its store, and what keeps that up to date. */
export type StoreKnowledge = ReturnType<typeof createStoreKnowledge>;

export interface StoreKnowledgeOptions {
  readonly settings: GatewaySettings;
  readonly clients: StoreClients;
  readonly clocks: Clocks;
  readonly waits: Waits;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, "storeCall">;
  readonly lastGoodFolder: string | undefined;
}

export function createStoreKnowledge(options: StoreKnowledgeOptions) {
  const { settings, clients, clocks, waits, logger, metrics, lastGoodFolder: folder } = options;
  const clock = clocks.monotonicMs;
  const measured = (client: StoreReader) => measuredReader(client, clock, metrics.storeCall);
  const tokenStore = measured(clients.tokenStore);
  const address = showStoreAddress(settings.storeUrl);
  const watch = new StoreWatch({ store: tokenStore, address, wanted: settings.storeId, clock });
  const isStoreAway = (): boolean => tokens.isFromCopy() || tokens.failure() !== undefined;
  const mirror =
    folder === undefined
      ? undefined
      : new Mirror({ folder, identity: () => watch.found(), isStoreAway, clocks, waits, logger });
  const readerOf = (client: StoreReader): StoreReader => {
    const own = watch.guard(measured(client));
    return mirror?.behind(own) ?? own;
  };
  const reading = {
    clocks,
    // A driver tries a call up to three times, each within the timeout.
    callTimeoutMs: 3 * settings.storeTimeoutMs + 1000,
    logger,
    logFields: () => ({ storeId: watch.storeId(), otherStoreId: watch.otherStoreId() }),
    mirror,
  };
  const ofDocuments = { ...reading, store: readerOf(clients.documentStore) };

  const tokens = new TokenDirectory({
    ...reading,
    store: watch.guard(tokenStore),
    refreshMs: settings.tokenRefreshMs,
    maxStaleMs: settings.tokenMaxStaleSeconds * 1000,
    defaultLimit: settings.rateLimitRequests,
  });
  const freshness = createFreshness({
    ...ofDocuments,
    refreshMs: waits.confirmedMs,
    onChange: () => snapshots.updateHeaders(),
  });
  const snapshots = new LiveSnapshots({
    ...ofDocuments,
    refreshMs: settings.snapshotRefreshMs,
    maxStaleMs: settings.snapshotMaxStaleSeconds * 1000,
    headersOf: ({ tenantId, manifest }) =>
      snapshotHeaders(manifest, freshness.confirmedAt(tenantId, manifest.snapshotId)),
  });
  return {
    watch,
    /** `undefined` when no copy is kept. */
    mirror,
    tokens,
    freshness,
    snapshots,
    /** What reads of bodies need: the reader is guarded, measured, and has the copy behind it. */
    reading: { ...reading, store: readerOf(clients.store) },
  };
}
