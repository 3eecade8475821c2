import { resolve } from "node:path";
import { url } from "./addresses.ts";
import {
  instant,
  integer,
  listenerHost,
  mayBeInFile,
  optional,
  portOrOff,
  ports,
  secretFile,
  setting,
} from "./setting-parser.ts";
import { sharedSettings } from "./settings.ts";
import { trustedProxies } from "./trusted-proxies.ts";

const day = 86_400;

/** The settings of `partner-programs-gateway`. */
export const gatewaySettings = {
  ...sharedSettings,
  host: setting("HOST", "address of the API listener", listenerHost),
  port: setting("PORT", "port of the API listener; `0` picks a free one and prints it", integer(8080, ports)),
  adminPort: setting(
    "ADMIN_PORT",
    "port of the admin listener; `0` as above, `off` for none",
    portOrOff(9090),
  ),
  trustedProxies,
  rateLimitRequests: setting(
    "RATE_LIMIT_REQUESTS",
    "requests per token and window; a token's own limit replaces it",
    integer(600, { min: 1, max: 1_000_000_000 }),
  ),
  // A window longer than a day would shut clients out rather than limit them.
  rateLimitWindowSeconds: setting(
    "RATE_LIMIT_WINDOW_SECONDS",
    "length of the window",
    integer(60, { min: 1, max: day }),
  ),
  redisUrl: mayBeInFile(
    setting(
      "REDIS_URL",
      "one counter for a whole fleet; while Redis is down each process counts for itself",
      url(["redis:", "rediss:"], "none: counted in the process"),
    ),
  ),
  redisUrlFile: secretFile("REDIS_URL"),
  tokenRefreshMs: setting(
    "TOKEN_REFRESH_MS",
    "how often the token registry is confirmed",
    integer(500, { min: 50, max: 60_000 }),
  ),
  tokenMaxStaleSeconds: setting(
    "TOKEN_MAX_STALE_SECONDS",
    "how long an unconfirmed token registry is trusted; then every well-formed token gets 500",
    integer(900, { min: 1, max: day }),
  ),
  snapshotRefreshMs: setting(
    "SNAPSHOT_REFRESH_MS",
    "how old the knowledge of a tenant's live snapshot may be",
    integer(1000, { min: 0, max: 3_600_000 }),
  ),
  snapshotMaxStaleSeconds: setting(
    "SNAPSHOT_MAX_STALE_SECONDS",
    "how long the last good snapshot of a tenant is served that cannot be refreshed; then 500",
    integer(3600, { min: 1, max: 365 * day }),
  ),
  cacheMaxMb: setting(
    "CACHE_MAX_MB",
    "bodies kept in memory; one over 1/16 of it is streamed, and only its gzip form kept",
    integer(256, { min: 1, max: 1_048_576 }),
  ),
  lastGoodDir: setting(
    "LAST_GOOD_DIR",
    "folder for a copy of what was last confirmed: a gateway that starts while the store is away serves from it, within the same bounds as one that ran on",
    optional((path) => resolve(path)),
  ),
  maxConnections: setting(
    "MAX_CONNECTIONS",
    "open client connections; further ones are closed at once",
    integer(10_000, { min: 1, max: 1_000_000 }),
  ),
  headersTimeoutSeconds: setting(
    "HEADERS_TIMEOUT_SECONDS",
    "how long a client may take for a request's complete header section",
    integer(20, { min: 1, max: 600 }),
  ),
  keepAliveTimeoutSeconds: setting(
    "KEEP_ALIVE_TIMEOUT_SECONDS",
    "how long an idle connection stays open; keep it above the idle time of the load balancer in front (60 for most, 600 for Google's)",
    integer(75, { min: 1, max: 3600 }),
  ),
  sendStallSeconds: setting(
    "SEND_STALL_SECONDS",
    "a client that accepts no byte of its response for so long is cut off",
    integer(30, { min: 1, max: 3600 }),
  ),
  sendTimeoutSeconds: setting(
    "SEND_TIMEOUT_SECONDS",
    "a client that has not accepted its whole response by then is cut off",
    integer(600, { min: 1, max: day }),
  ),
  shutdownDelaySeconds: setting(
    "SHUTDOWN_DELAY_SECONDS",
    "how long after SIGTERM it goes on as before, but unready, for a load balancer that first has to notice",
    integer(0, { min: 0, max: 3600 }),
  ),
  shutdownGraceSeconds: setting(
    "SHUTDOWN_GRACE_SECONDS",
    "how long requests under way may take to finish after SIGTERM and that delay",
    integer(10, { min: 0, max: 3600 }),
  ),
  legacyDeprecatedAt: setting(
    "LEGACY_DEPRECATED_AT",
    "the legacy resource's `Deprecation` header (RFC 9745)",
    instant("2025-01-01T00:00:00Z"),
  ),
  legacySunset: setting(
    "LEGACY_SUNSET",
    "the legacy resource's `Sunset` header (RFC 8594)",
    instant(undefined),
  ),
} as const;
