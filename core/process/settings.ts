import { resolve } from "node:path";
import { isStoreId, type StoreId } from "../ground/ids.ts";
import { databaseUrlSetting } from "./database-address.ts";
import {
  choice,
  duration,
  flag,
  instant,
  integer,
  list,
  listenerHost,
  mayBeInFile,
  optional,
  parseHost,
  portOrOff,
  ports,
  SettingFault,
  type SettingValues,
  secretFile,
  setting,
  settingText,
} from "./setting-parser.ts";
import { dataDirectory, endpointName, storeUrlSetting } from "./store-address.ts";
import { trustedProxies } from "./trusted-proxies.ts";
import { url } from "./url-setting.ts";

const day = 86_400;

/** Where the store is and how to reach it, and what else both programs read. */
const sharedSettings = {
  dataDir: setting<string>("DATA_DIR", "where the embedded defaults live", {
    fallbackText: "`./data`",
    fallback: dataDirectory,
    parse: (path) => resolve(path),
    show: String,
  }),
  storeUrl: storeUrlSetting,
  storeId: setting(
    "STORE_ID",
    "identity of the only store that may be read or written, as `config` and `store check` show it; another one, or none, is refused",
    optional<StoreId>((id) => {
      if (isStoreId(id)) return id;
      throw new SettingFault(
        "must be store_ and 16 letters or digits, as `partner-programs config` shows it",
      );
    }),
  ),
  s3ForcePathStyle: setting(
    "S3_FORCE_PATH_STYLE",
    "S3-compatible stores: the bucket in the path instead of the host name",
    flag(["true", "false"], "`true` when an endpoint is set", (env) => endpointName(env) !== undefined),
  ),
  storeTimeoutMs: setting(
    "STORE_TIMEOUT_MS",
    "deadline of one store call, and of any pause in a body (in all: a second more per 64 KiB); a call is tried at most 3 times where that is safe",
    integer(10_000, { min: 100, max: 600_000 }),
  ),
  logLevel: setting(
    "LOG_LEVEL",
    "JSON lines on standard error for the CLI, standard output for the gateway",
    choice("info", ["debug", "info", "warn", "error", "silent"]),
  ),
  adminHost: setting(
    "ADMIN_HOST",
    "address of the admin listeners of the gateway and of `snapshot watch` (health, readiness, metrics)",
    listenerHost,
  ),
  adminHostNames: setting<readonly string[]>(
    "ADMIN_HOST_NAMES",
    "comma-separated: host names by which an admin listener may be asked, beside IP addresses, `localhost` and its own host",
    list([], "none", parseHost),
  ),
} as const;

/** The default of the statuses that end an enrollment. An ended enrollment takes no place. */
export const defaultTerminalStatuses: readonly string[] =
  "cancelled canceled rejected declined expired refunded withdrawn no_show".split(" ");

/** The settings of `partner-programs`. */
export const cliSettings = {
  databaseUrl: databaseUrlSetting,
  databaseUrlFile: secretFile("DATABASE_URL"),
  ...sharedSettings,
  legacyCapacity: setting(
    "LEGACY_CAPACITY",
    "`capacity` of the legacy resource: the object of v1, or the plain total",
    choice("object", ["object", "total"]),
  ),
  terminalStatuses: setting<readonly string[]>(
    "TERMINAL_ENROLLMENT_STATUSES",
    "comma-separated: enrollments of these statuses take no place",
    list(
      defaultTerminalStatuses,
      defaultTerminalStatuses.map((status) => `\`${status}\``).join(", "),
      (status) => {
        if (status !== "") return status;
        throw new SettingFault("must be statuses separated by commas, none of them empty");
      },
    ),
  ),
  sharedPrograms: setting(
    "SHARED_PROGRAMS",
    "`refuse` or `warn`: what a build does that would add programs that another tenant has, too; `warn` is for companies that share a catalogue",
    choice("refuse", ["refuse", "warn"]),
  ),
  liveCopy: setting(
    "LIVE_COPY",
    "`on` or `off`: each tenant's live files for people, all in one folder, `tenants/TENANT/live/`; `off` removes it with the next build",
    flag(
      ["on", "off"],
      "`on` for `file:`, `off` for `s3:`",
      (env) => settingText("STORE_URL", env)?.startsWith("s3:") !== true,
    ),
  ),
  maxValueKb: setting(
    "MAX_VALUE_KB",
    "a text or list of the source that is larger is not read: an error of its program",
    integer(1024, { min: 1, max: 65_536 }),
  ),
  maxProgramKb: setting(
    "MAX_PROGRAM_KB",
    "a program with more rows as JSON, or with larger JSON, has an error and is not published",
    integer(4096, { min: 1, max: 262_144 }),
  ),
  maxListMb: setting(
    "MAX_LIST_MB",
    "a tenant whose list and legacy list together are larger is not published",
    integer(128, { min: 1, max: 500 }),
  ),
  watchAdminPort: setting(
    "WATCH_ADMIN_PORT",
    "port of the admin listener of `snapshot watch`; `0` picks a free one and prints it, `off` for none",
    portOrOff(undefined),
  ),
  tokenMaxLifetimeMs: setting(
    "TOKEN_MAX_LIFETIME",
    "longest life of a new token: `365d`, `26w`, `12h`",
    duration,
  ),
  logFile: setting(
    "PARTNER_PROGRAMS_LOG",
    "the gateway's log that commands read when they are called without `--log`",
    optional<string>(String),
  ),
} as const;

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

export type GatewaySettings = SettingValues<typeof gatewaySettings>;
