import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { CauseCode } from "../core/cause-code.ts";
import type { TokenId } from "../core/ids.ts";
import type { Route } from "./exchange.ts";
import { maxListed } from "./freshness.ts";
import { createRequestTally } from "./request-tally.ts";

/** What is asked for when Prometheus comes to read. */
export interface MetricSources {
  readonly tokenRegistryAgeMs: () => number;
  /** Tenants whose data was confirmed the longest ago, the oldest first, as many as have a gauge of their own. */
  readonly oldestData: () => readonly { readonly tenantId: string; readonly confirmedAtMs: number }[];
  readonly unixMs: () => number;
  readonly snapshotAges: () => readonly { readonly tenantId: string; readonly ageMs: number }[];
  readonly cacheBytes: () => number;
  readonly connections: () => number;
  readonly isCountedInFleet: () => boolean;
}

/** Counts and times, reported as they happen. */
export interface Metrics {
  request(route: Route, status: number, durationMs: number, tokenId: TokenId | undefined): void;
  cacheLookup(isHit: boolean): void;
  storeCall(operation: string, outcome: string): void;
  connectionCut(cause: CauseCode): void;
  lostLogLine(): void;
  /** The Prometheus text of this moment. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** `attach` connects the gauges, whose sources themselves need the metrics. */
export function createMetrics(): Metrics & { attach(sources: MetricSources): void } {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = createRequestTally();
  const lookups = { hit: 0, miss: 0 };
  new Counter({
    name: "gateway_body_cache_lookups_total",
    help: "Look-ups in the body cache by result.",
    labelNames: ["result"],
    registers,
    collect() {
      this.reset();
      for (const [result, count] of Object.entries(lookups)) this.inc({ result }, count);
    },
  });
  const storeCalls = new Counter({
    name: "gateway_store_calls_total",
    help: "Calls to the object store by operation and outcome.",
    labelNames: ["operation", "outcome"],
    registers,
  });
  const cuts = new Counter({
    name: "gateway_connections_cut_total",
    help: "Connections ended for what their clients did, by cause.",
    labelNames: ["cause"],
    registers,
  });
  const lostLines = new Counter({
    name: "gateway_log_lines_lost_total",
    help: "Log lines given up because standard output did not take them.",
    registers,
  });

  return {
    request: requests.add,
    cacheLookup(isHit) {
      lookups[isHit ? "hit" : "miss"] += 1;
    },
    storeCall: (operation, outcome) => storeCalls.inc({ operation, outcome }),
    connectionCut: (cause) => cuts.inc({ cause }),
    lostLogLine: () => lostLines.inc(),
    text: async () => requests.text() + (await registry.metrics()),
    contentType: registry.contentType,
    attach: (sources) => registerGauges(registry, sources),
  };
}

/** So many tenants have a gauge of their own, the least recently confirmed first: labels must not grow without bound. */
const maxTenantGauges = 100;

function registerGauges(registry: Registry, sources: MetricSources): void {
  const registers = [registry];
  new Gauge({
    name: "gateway_token_registry_age_seconds",
    help: "Time since the token registry was last confirmed; +Inf before the first time.",
    registers,
    collect() {
      this.set(sources.tokenRegistryAgeMs() / 1000);
    },
  });
  new Gauge({
    name: "gateway_snapshot_age_seconds",
    help: `Time since the live snapshot was last confirmed, of the ${maxTenantGauges} tenants where it is longest.`,
    labelNames: ["tenant"],
    registers,
    collect() {
      this.reset();
      for (const { tenantId, ageMs } of sources.snapshotAges().slice(0, maxTenantGauges)) {
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
      this.set(sources.snapshotAges().length);
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
      this.set(sources.isCountedInFleet() ? 1 : 0);
    },
  });
}
