import { resolve } from "node:path";
import { secretFile } from "./secret-files.ts";
import { choice, instant, integer, listenerHost, optional, port, portOrOff, url } from "./setting-types.ts";
import { adminHostNames, storeSettings } from "./store-settings.ts";
import { trustedProxies } from "./trusted-proxies.ts";

/** The settings of `partner-programs-gateway`. */
export const gatewaySettings = {
  ...storeSettings,
  host: listenerHost({
    name: "HOST",
    about: "address of the API listener",
  }),
  port: port({
    name: "PORT",
    about: "port of the API listener; `0` picks a free one and prints it",
    fallback: 8080,
  }),
  adminHost: listenerHost({
    name: "ADMIN_HOST",
    about:
      "address of the admin listeners of the gateway and of `snapshot watch` (health, readiness, metrics)",
  }),
  adminHostNames,
  adminPort: portOrOff({
    name: "ADMIN_PORT",
    about: "port of the admin listener; `0` as above, `off` for none",
    fallback: 9090,
  }),
  trustedProxies,
  rateLimitRequests: integer({
    name: "RATE_LIMIT_REQUESTS",
    about: "requests per token and window; a token's own limit replaces it",
    fallback: 600,
    min: 1,
    max: 1_000_000_000,
  }),
  rateLimitWindowSeconds: integer({
    name: "RATE_LIMIT_WINDOW_SECONDS",
    about: "length of the window",
    fallback: 60,
    min: 1,
    // The maximum is a day, since a longer window would shut clients out rather than limit them.
    max: 86_400,
  }),
  redisUrl: url({
    name: "REDIS_URL",
    about: "one counter for a whole fleet; while Redis is down each process counts for itself",
    schemes: ["redis:", "rediss:"],
    fallbackText: "none: counted in the process",
  }),
  redisUrlFile: secretFile("REDIS_URL"),
  redisTimeoutMs: integer({
    name: "REDIS_TIMEOUT_MS",
    about: "how long a request waits for Redis before its process counts it alone",
    fallback: 250,
    min: 10,
    max: 10_000,
  }),
  tokenRefreshMs: integer({
    name: "TOKEN_REFRESH_MS",
    about: "how often the token registry is confirmed",
    fallback: 500,
    min: 50,
    max: 60_000,
  }),
  tokenMaxStaleSeconds: integer({
    name: "TOKEN_MAX_STALE_SECONDS",
    about: "how long an unconfirmed token registry is trusted; then every well-formed token gets 500",
    fallback: 900,
    min: 1,
    max: 86_400,
  }),
  snapshotRefreshMs: integer({
    name: "SNAPSHOT_REFRESH_MS",
    about: "how old the knowledge of a tenant's live snapshot may be",
    fallback: 1000,
    min: 0,
    max: 3_600_000,
  }),
  snapshotMaxStaleSeconds: integer({
    name: "SNAPSHOT_MAX_STALE_SECONDS",
    about: "how long the last good snapshot of a tenant is served that cannot be refreshed; then 500",
    fallback: 3600,
    min: 1,
    max: 31_536_000,
  }),
  freshnessRefreshMs: integer({
    name: "FRESHNESS_REFRESH_MS",
    about:
      "how often it looks when the data was last confirmed (`Snapshot-Confirmed-At`, `gateway_data_age_seconds`)",
    fallback: 10_000,
    min: 100,
    max: 3_600_000,
  }),
  cacheMaxMb: integer({
    name: "CACHE_MAX_MB",
    about: "bodies kept in memory; one over 1/16 of it is streamed, and only its gzip form kept",
    fallback: 256,
    min: 1,
    max: 1_048_576,
  }),
  cacheRenewal: choice({
    name: "CACHE_RENEWAL",
    about:
      "`on` or `off`: of the bodies in memory that were asked for since the publication before, read those that a new one changes before they are asked for",
    words: ["on", "off"],
    fallback: "on",
  }),
  lastGoodDir: optional<string>({
    name: "LAST_GOOD_DIR",
    about:
      "folder for a copy of what was last confirmed: a gateway that starts while the store is away serves from it, within the same bounds as one that ran on",
    parse: (path) => resolve(path),
  }),
  lastGoodMaxMb: integer({
    name: "LAST_GOOD_MAX_MB",
    about: "size of that copy; the bodies that were not used for the longest time go first",
    fallback: 1024,
    min: 1,
    max: 1_048_576,
  }),
  maxConnections: integer({
    name: "MAX_CONNECTIONS",
    about: "open client connections; further ones are closed at once",
    fallback: 10_000,
    min: 1,
    max: 1_000_000,
  }),
  maxRequestsPerConnection: integer({
    name: "MAX_REQUESTS_PER_CONNECTION",
    about: "then the connection is closed, so that a load balancer spreads long-lived ones anew",
    fallback: 10_000,
    min: 1,
    max: 1_000_000_000,
  }),
  headersTimeoutSeconds: integer({
    name: "HEADERS_TIMEOUT_SECONDS",
    about: "how long a client may take for a request's complete header section",
    fallback: 20,
    min: 1,
    max: 600,
  }),
  keepAliveTimeoutSeconds: integer({
    name: "KEEP_ALIVE_TIMEOUT_SECONDS",
    about:
      "how long an idle connection stays open; keep it above the idle time of the load balancer in front (60 for most, 600 for Google's)",
    fallback: 75,
    min: 1,
    max: 3600,
  }),
  sendStallSeconds: integer({
    name: "SEND_STALL_SECONDS",
    about: "a client that accepts no byte of its response for so long is cut off",
    fallback: 30,
    min: 1,
    max: 3600,
  }),
  sendTimeoutSeconds: integer({
    name: "SEND_TIMEOUT_SECONDS",
    about: "a client that has not accepted its whole response by then is cut off",
    fallback: 600,
    min: 1,
    max: 86_400,
  }),
  shutdownDelaySeconds: integer({
    name: "SHUTDOWN_DELAY_SECONDS",
    about:
      "how long after SIGTERM it goes on as before, but unready, for a load balancer that first has to notice",
    fallback: 0,
    min: 0,
    max: 3600,
  }),
  shutdownGraceSeconds: integer({
    name: "SHUTDOWN_GRACE_SECONDS",
    about: "how long requests under way may take to finish after SIGTERM and that delay",
    fallback: 10,
    min: 0,
    max: 3600,
  }),
  legacyDeprecatedAt: instant({
    name: "LEGACY_DEPRECATED_AT",
    about: "the legacy resource's `Deprecation` header (RFC 9745)",
    fallback: "2025-01-01T00:00:00Z",
  }),
  legacySunset: instant({
    name: "LEGACY_SUNSET",
    about: "the legacy resource's `Sunset` header (RFC 8594)",
    fallback: undefined,
  }),
} as const;
