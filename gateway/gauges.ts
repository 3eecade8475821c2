import { Counter, Gauge, type Registry } from "prom-client";
import { buildInfo } from "../core/package-version.ts";
import type { FleetCounter } from "./fleet-counter.ts";
import { maxListed } from "./freshness.ts";
import type { LastGood } from "./last-good/last-good.ts";
import type { LiveSnapshots } from "./live-snapshots.ts";
import type { Readiness } from "./readiness.ts";
import type { StoreWatch } from "./store-watch.ts";
import type { TokenDirectory } from "./token-directory.ts";
import { maxExpiring } from "./token-table.ts";

/** What is asked for when Prometheus comes to read. */
export interface MetricSources {
  readonly tokens: Pick<TokenDirectory, "ageMs" | "counts" | "expiring">;
  readonly watch: Pick<StoreWatch, "storeId" | "otherStoreId">;
  readonly snapshots: Pick<LiveSnapshots, "ages">;
  readonly readiness: Pick<Readiness, "notReadyCause" | "isServingLastGood">;
  /** Tenants whose data was confirmed the longest ago, the oldest first, as many as have a gauge of their own. */
  readonly oldestData: () => readonly { readonly tenantId: string; readonly confirmedAtMs: number }[];
  readonly unixMs: () => number;
  readonly cacheBytes: () => number;
  readonly connections: () => number;
  /** Where Redis is to count, away or not. */
  readonly fleet: Pick<FleetCounter, "isShared"> | undefined;
  readonly lastGood: Pick<LastGood, "bytes" | "writeFailures"> | undefined;
}

/** Gauges that ask their sources when they are read. */
export function registerGauges(registry: Registry, sources: MetricSources): void {
  const registers = [registry];
  new Gauge({
    name: "gateway_build_info",
    help: "1, labelled with the version of this program, a digest of its code, and the version of Node.js.",
    labelNames: ["version", "code", "node"],
    registers,
  }).set({ ...buildInfo() }, 1);
  new Gauge({
    name: "gateway_token_expires_timestamp_seconds",
    help: `When a token that is in force will expire, of the ${maxExpiring} that do so first.`,
    labelNames: ["token", "tenant"],
    registers,
    collect() {
      this.reset();
      for (const { tokenId, tenantId, expiresAtMs } of sources.tokens.expiring()) {
        this.set({ token: tokenId, tenant: tenantId }, expiresAtMs / 1000);
      }
    },
  });
  new Gauge({
    name: "gateway_tokens",
    help: "Tokens of the registry by what they are now.",
    labelNames: ["status"],
    registers,
    collect() {
      for (const [status, count] of Object.entries(sources.tokens.counts())) this.set({ status }, count);
    },
  });
  // W161
  new Gauge({
    name: "gateway_store_info",
    help: "1 for the store that the gateway goes by; 0 for another one that answers in its place, which it does not believe.",
    labelNames: ["store_id"],
    registers,
    collect() {
      this.reset();
      const [storeId, other] = [sources.watch.storeId(), sources.watch.otherStoreId()];
      if (storeId !== undefined) this.set({ store_id: storeId }, 1);
      if (other !== undefined) this.set({ store_id: other }, 0);
    },
  });
  new Gauge({
    name: "gateway_token_registry_age_seconds",
    help: "Time since the token registry was last confirmed; +Inf before the first time.",
    registers,
    collect() {
      this.set(sources.tokens.ageMs() / 1000);
    },
  });
  new Gauge({
    name: "gateway_snapshot_age_seconds",
    help: `Time since the live snapshot was last confirmed, of the ${maxTenantGauges} tenants where it is longest.`,
    labelNames: ["tenant"],
    registers,
    collect() {
      this.reset();
      for (const { tenantId, ageMs } of sources.snapshots.ages().slice(0, maxTenantGauges)) {
        this.set({ tenant: tenantId }, ageMs / 1000);
      }
    },
  });
  const dataAgeSeconds = ({ confirmedAtMs }: { readonly confirmedAtMs: number }): number =>
    Math.max(0, sources.unixMs() - confirmedAtMs) / 1000;
  new Gauge({
    name: "gateway_data_age_seconds",
    help: `Time since a tenant's data was last found to be what the source says, of the ${maxListed} tenants where it is longest, served by this gateway or not.`,
    labelNames: ["tenant"],
    registers,
    collect() {
      this.reset();
      for (const data of sources.oldestData()) this.set({ tenant: data.tenantId }, dataAgeSeconds(data));
    },
  });
  new Gauge({
    name: "gateway_data_age_max_seconds",
    help: "The longest of all tenants' times of that kind; NaN while none is known.",
    registers,
    collect() {
      const [oldest] = sources.oldestData();
      this.set(oldest === undefined ? Number.NaN : dataAgeSeconds(oldest));
    },
  });
  new Gauge({
    name: "gateway_snapshots_held",
    help: "Tenants whose live snapshot is in memory.",
    registers,
    collect() {
      this.set(sources.snapshots.ages().length);
    },
  });
  new Gauge({
    name: "gateway_body_cache_bytes",
    help: "Bytes of responses in memory.",
    registers,
    collect() {
      this.set(sources.cacheBytes());
    },
  });
  new Gauge({
    name: "gateway_connections",
    help: "Open connections of the API's listener.",
    registers,
    collect() {
      this.set(sources.connections());
    },
  });
  new Gauge({
    name: "gateway_limiter_shared",
    help: "1 while requests are counted for the whole fleet, 0 while this process counts alone.",
    registers,
    collect() {
      this.set(sources.fleet?.isShared() === true ? 1 : 0);
    },
  });
  // W94
  new Gauge({
    name: "gateway_limiter_shared_wanted",
    help: "1 when REDIS_URL is set, so that requests are to be counted for the whole fleet.",
    registers,
  }).set(sources.fleet !== undefined ? 1 : 0);
  // W93
  new Gauge({
    name: "gateway_ready",
    help: "1 while requests would be served, as /readyz says.",
    registers,
    collect() {
      this.set(sources.readiness.notReadyCause() === undefined ? 1 : 0);
    },
  });
  new Gauge({
    name: "gateway_last_good_bytes",
    help: "Bytes on the disk in LAST_GOOD_DIR.",
    registers,
    collect() {
      this.set(sources.lastGood?.bytes() ?? 0);
    },
  });
  new Gauge({
    name: "gateway_serving_last_good",
    help: "1 while what is served was confirmed before this process began, by the copy in LAST_GOOD_DIR.",
    registers,
    collect() {
      this.set(sources.readiness.isServingLastGood() ? 1 : 0);
    },
  });
  new Counter({
    name: "gateway_last_good_write_failures_total",
    help: "Writes to LAST_GOOD_DIR that failed or were given up.",
    registers,
    collect() {
      this.reset();
      this.inc(sources.lastGood?.writeFailures() ?? 0);
    },
  });
}

/** So many tenants have a gauge of their own, the least recently confirmed first: labels must not grow without bound. */
const maxTenantGauges = 100;
