import { Counter, Gauge, type Registry } from "prom-client";
import { buildInfo } from "../core/package-version.ts";
import type { FleetCounter } from "./fleet-counter.ts";
import { maxListed } from "./freshness.ts";
import type { LiveSnapshots } from "./live-snapshots.ts";
import type { Mirror } from "./mirror.ts";
import type { Readiness } from "./readiness.ts";
import type { StoreWatch } from "./store-watch.ts";
import type { TokenDirectory } from "./token-directory.ts";
import { maxExpiring } from "./token-table.ts";

/** The sources of the gauges, asked when Prometheus reads `/metrics`. */
export interface MetricSources {
  readonly tokens: Pick<TokenDirectory, "ageMs" | "counts" | "expiring">;
  readonly watch: Pick<StoreWatch, "storeId" | "otherStoreId">;
  readonly snapshots: Pick<LiveSnapshots, "ages">;
  readonly readiness: Pick<Readiness, "notReadyCause" | "isServingLastGood">;
  /** The tenants whose data was confirmed the longest ago, the oldest first, at most `maxListed`. */
  readonly oldestData: () => readonly { readonly tenantId: string; readonly confirmedAtMs: number }[];
  readonly unixMs: () => number;
  readonly cacheBytes: () => number;
  readonly connections: () => number;
  /** Set when Redis is configured, whether it is away or not. */
  readonly fleet: Pick<FleetCounter, "isShared"> | undefined;
  readonly mirror: Pick<Mirror, "writeFailures"> | undefined;
}

/** Gauges that ask their sources when they are read. */
export function registerGauges(registry: Registry, sources: MetricSources): void {
  const { tokens, watch, snapshots, readiness, fleet, mirror } = sources;
  const registers = [registry];

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }

  function labelledGauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => Iterable<readonly [Record<Label, string>, number]>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.set(labels, value);
      },
    });
  }

  labelledGauge(
    "gateway_build_info",
    "1, labelled with the version of this program, a digest of its code, and the version of Node.js.",
    ["version", "code", "node"],
    () => [[{ ...buildInfo() }, 1]],
  );
  labelledGauge(
    "gateway_token_expires_timestamp_seconds",
    `When a token that is in force will expire, of the ${maxExpiring} that do so first.`,
    ["token", "tenant"],
    () =>
      tokens
        .expiring()
        .map(({ tokenId, tenantId, expiresAtMs }) => [
          { token: tokenId, tenant: tenantId },
          expiresAtMs / 1000,
        ]),
  );
  labelledGauge("gateway_tokens", "Tokens of the registry by what they are now.", ["status"], () =>
    Object.entries(tokens.counts()).map(([status, count]) => [{ status }, count]),
  );
  // W161: a store that the gateway does not believe is visible as 0.
  labelledGauge(
    "gateway_store_info",
    "1 for the store that the gateway goes by; 0 for another one that answers in its place, which it does not believe.",
    ["store_id"],
    function* () {
      const [storeId, other] = [watch.storeId(), watch.otherStoreId()];
      if (storeId !== undefined) yield [{ store_id: storeId }, 1];
      if (other !== undefined) yield [{ store_id: other }, 0];
    },
  );
  gauge(
    "gateway_token_registry_age_seconds",
    "Time since the token registry was last confirmed; +Inf before the first time.",
    () => tokens.ageMs() / 1000,
  );
  labelledGauge(
    "gateway_snapshot_age_seconds",
    `Time since the live snapshot was last confirmed, of the ${maxTenantGauges} tenants where it is longest.`,
    ["tenant"],
    () =>
      snapshots
        .ages()
        .slice(0, maxTenantGauges)
        .map(({ tenantId, ageMs }) => [{ tenant: tenantId }, ageMs / 1000]),
  );
  const dataAgeSeconds = ({ confirmedAtMs }: { readonly confirmedAtMs: number }): number =>
    Math.max(0, sources.unixMs() - confirmedAtMs) / 1000;
  labelledGauge(
    "gateway_data_age_seconds",
    `Time since a tenant's data was last found to be what the source says, of the ${maxListed} tenants where it is longest, served by this gateway or not.`,
    ["tenant"],
    () => sources.oldestData().map((data) => [{ tenant: data.tenantId }, dataAgeSeconds(data)]),
  );
  gauge(
    "gateway_data_age_max_seconds",
    "The largest gateway_data_age_seconds of all tenants; NaN while none is known.",
    () => {
      const [oldest] = sources.oldestData();
      return oldest === undefined ? Number.NaN : dataAgeSeconds(oldest);
    },
  );
  gauge("gateway_snapshots_held", "Tenants whose live snapshot is in memory.", () => snapshots.ages().length);
  gauge("gateway_body_cache_bytes", "Bytes of responses in memory.", sources.cacheBytes);
  gauge("gateway_connections", "Open connections of the API's listener.", sources.connections);
  gauge(
    "gateway_limiter_shared",
    "1 while requests are counted for the whole fleet, 0 while this process counts alone.",
    () => (fleet?.isShared() === true ? 1 : 0),
  );
  // W94: an alert compares this gauge with the one above.
  gauge(
    "gateway_limiter_shared_wanted",
    "1 when REDIS_URL is set, so that requests are to be counted for the whole fleet.",
    () => (fleet === undefined ? 0 : 1),
  );
  // W93: the same judgement as `/readyz`.
  gauge("gateway_ready", "1 while requests would be served, as /readyz says.", () =>
    readiness.notReadyCause() === undefined ? 1 : 0,
  );
  gauge(
    "gateway_serving_last_good",
    "1 while the gateway serves data of LAST_GOOD_DIR that was confirmed before this process began.",
    () => (readiness.isServingLastGood() ? 1 : 0),
  );
  new Counter({
    name: "gateway_last_good_write_failures_total",
    help: "Writes to LAST_GOOD_DIR that failed or were given up.",
    registers,
    collect() {
      this.reset();
      this.inc(mirror?.writeFailures() ?? 0);
    },
  });
}

/** Only so many tenants have a gauge of their own, since labels must not grow without bound. */
const maxTenantGauges = 100;
