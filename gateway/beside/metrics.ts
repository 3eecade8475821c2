import type { CauseCode } from "../../core/ground/cause-code.ts";
import { buildInfo } from "../../core/process/package-version.ts";
import type { BodyCache } from "../bodies/body-cache.ts";
import type { Clocks } from "../clocks.ts";
import { type Freshness, maxListed } from "../known/freshness.ts";
import type { LiveSnapshots } from "../known/live-snapshots.ts";
import type { Mirror } from "../known/mirror.ts";
import type { StoreWatch } from "../known/store-watch.ts";
import { maxExpiring, type TokenDirectory } from "../known/token-directory.ts";
import type { Connections } from "../request/connections.ts";
import type { Route } from "../request/exchange.ts";
import type { FleetCounter } from "../request/fleet-counter.ts";
import type { Readiness } from "./readiness.ts";
import { createTally, createTokenTally, metricText, type Sample } from "./tallies.ts";

/** Counts and times of what happens. */
export type Metrics = ReturnType<typeof createMetrics>;

/** The parts that are asked when Prometheus reads `/metrics`. */
export interface MeasuredParts {
  readonly clocks: Clocks;
  readonly tokens: Pick<TokenDirectory, "ageMs" | "bytes" | "counts" | "expiring">;
  readonly watch: Pick<StoreWatch, "storeId" | "otherStoreId">;
  readonly snapshots: Pick<LiveSnapshots, "ages">;
  readonly readiness: Pick<Readiness, "notReadyCause" | "isServingLastGood">;
  readonly freshness: Pick<Freshness, "oldest">;
  readonly bodies: Pick<BodyCache, "size">;
  readonly connections: Pick<Connections, "count">;
  /** Set when Redis is configured, whether it is away or not. */
  readonly fleet: Pick<FleetCounter, "isShared"> | undefined;
  readonly mirror: Pick<Mirror, "writeFailures"> | undefined;
}

export function createMetrics() {
  const requests = createTally<Route>("request", ["route", "status"], {
    total: "Requests answered, refused ones included, by resource and HTTP status.",
    duration: "Time from a request's complete header section to the end of its response.",
  });
  for (const route of ["list", "detail", "legacy", "unknown"] as const)
    requests.begin(route, [200, 401, 500]);
  const storeCalls = createTally("store_call", ["operation", "outcome"], {
    total: "Calls to the object store by operation and outcome.",
    duration: "Time from a call of the object store to its outcome, bodies not counted.",
  });
  const tokens = createTokenTally();
  const lookups = { hit: 0, miss: 0 };
  const cuts = new Map<CauseCode, number>();
  let lostLines = 0;
  let refusedShares = 0;

  return {
    request: requests.add,
    /** Counts the request for its token, when it had a token of the registry. `nowMs`: monotonic. */
    tokenRequest: tokens.add,
    cacheLookup(isHit: boolean): void {
      lookups[isHit ? "hit" : "miss"] += 1;
    },
    storeCall: storeCalls.add,
    connectionCut: (cause: CauseCode) => cuts.set(cause, (cuts.get(cause) ?? 0) + 1),
    shareRefused(): void {
      refusedShares += 1;
    },
    lostLogLines(count: number): void {
      lostLines += count;
    },
    /** All of that, and what the parts say of themselves now, in Prometheus' text format. */
    async text(parts: MeasuredParts): Promise<string> {
      let text = requests.text() + storeCalls.text() + tokens.text(parts.clocks.monotonicMs());
      const counter = (name: string, help: string, samples: number | readonly Sample[]): void => {
        text += metricText("counter", `gateway_${name}`, help, samples);
      };
      const results = Object.entries(lookups).map(([result, count]): Sample => [{ result }, count]);
      counter("body_cache_lookups_total", "Look-ups in the body cache by result.", results);
      counter(
        "connections_cut_total",
        "Connections that the gateway ended because of what their clients sent, by cause; answers that were cut off are in the log.",
        [...cuts].map(([cause, count]) => [{ cause }, count]),
      );
      const lostHelp = "Log lines given up because standard output did not take them.";
      counter("log_lines_lost_total", lostHelp, lostLines);
      const sharesHelp =
        "Reads of bodies given up because others of the same tenant took its share for too long.";
      counter("shares_refused_total", sharesHelp, refusedShares);
      const failures = parts.mirror?.writeFailures() ?? 0;
      const failureHelp = "Writes to LAST_GOOD_DIR that failed or were given up.";
      counter("last_good_write_failures_total", failureHelp, failures);
      // Loading prom-client takes a tenth of a start, and nobody may ever ask.
      const { createMetricsRegistry } = await import("../../core/process/metrics-registry.ts");
      return `${text}${gaugesText(parts)}\n${await createMetricsRegistry().metrics()}`;
    },
    contentType: "text/plain; version=0.0.4; charset=utf-8",
  };
}

/** What the parts say of themselves. */
function gaugesText(parts: MeasuredParts): string {
  let text = "";
  const gauge: Gauge = (name, help, samples) => {
    text += metricText("gauge", `gateway_${name}`, help, samples);
  };
  gauge(
    "build_info",
    "1, labelled with the version of this program, a digest of its code, and the version of Node.js.",
    [[{ ...buildInfo() }, 1]],
  );
  tokenGauges(gauge, parts);
  dataGauges(gauge, parts);
  processGauges(gauge, parts);
  return text;
}

type Gauge = (name: string, help: string, samples: number | readonly Sample[]) => void;

function tokenGauges(gauge: Gauge, { tokens, watch }: MeasuredParts): void {
  gauge(
    "token_expires_timestamp_seconds",
    `When a token that is in force will expire, of the ${maxExpiring} that do so first.`,
    tokens
      .expiring()
      .map(({ tokenId: token, tenantId: tenant, expiresAtMs }) => [{ token, tenant }, expiresAtMs / 1000]),
  );
  const counts = Object.entries(tokens.counts());
  gauge(
    "tokens",
    "Tokens of the registry by what they are now.",
    counts.map(([status, count]) => [{ status }, count]),
  );
  // W161: a store that the gateway does not believe is visible as 0.
  const stores = [[watch.storeId(), 1] as const, [watch.otherStoreId(), 0] as const];
  gauge(
    "store_info",
    "1 for the store that the gateway goes by; 0 for another one that answers in its place, which it does not believe.",
    stores.flatMap(([id, isOwn]) => (id === undefined ? [] : [[{ store_id: id }, isOwn] as const])),
  );
  gauge(
    "token_registry_age_seconds",
    "Time since the token registry was last confirmed; +Inf before the first time.",
    tokens.ageMs() / 1000,
  );
  gauge(
    "token_registry_bytes",
    "Size of auth/tokens.json. Gateways refuse more than 64 MiB, and no command writes that.",
    tokens.bytes(),
  );
}

function dataGauges(gauge: Gauge, parts: MeasuredParts): void {
  const ages = parts.snapshots.ages();
  gauge(
    "snapshot_age_seconds",
    `Time since the live snapshot was last confirmed, of the ${maxListed} tenants where it is longest.`,
    ages.slice(0, maxListed).map(({ tenantId, ageMs }) => [{ tenant: tenantId }, ageMs / 1000]),
  );
  const dataAges = parts.freshness.oldest().map(({ tenantId: tenant, confirmedAtMs }): Sample => {
    return [{ tenant }, Math.max(0, parts.clocks.unixMs() - confirmedAtMs) / 1000];
  });
  gauge(
    "data_age_seconds",
    `Time since a tenant's data was last found to be what the source says, of the ${maxListed} tenants where it is longest, served by this gateway or not.`,
    dataAges,
  );
  gauge(
    "data_age_max_seconds",
    "The largest gateway_data_age_seconds of all tenants; NaN while none is known.",
    dataAges[0]?.[1] ?? Number.NaN,
  );
  gauge("snapshots_held", "Tenants whose live snapshot is in memory.", ages.length);
  gauge("body_cache_bytes", "Bytes of responses in memory.", parts.bodies.size());
}

function processGauges(gauge: Gauge, { connections, fleet, readiness }: MeasuredParts): void {
  gauge("connections", "Open connections of the API's listener.", connections.count());
  gauge(
    "limiter_shared",
    "1 while requests are counted for the whole fleet, 0 while this process counts alone.",
    Number(fleet?.isShared() === true),
  );
  // W92: an alert compares this gauge with the one above.
  gauge(
    "limiter_shared_wanted",
    "1 when REDIS_URL is set, so that requests are to be counted for the whole fleet.",
    Number(fleet !== undefined),
  );
  // W92: the same judgement as `/readyz`.
  const isReady = readiness.notReadyCause() === undefined;
  gauge("ready", "1 while requests would be served, as /readyz says.", Number(isReady));
  gauge(
    "serving_last_good",
    "1 while the gateway serves data of LAST_GOOD_DIR that was confirmed before this process began.",
    Number(readiness.isServingLastGood()),
  );
}
