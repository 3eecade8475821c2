import { resolve } from "node:path";
import { databaseUrlSetting, dataDirectory, endpointName, storeUrlSetting } from "./addresses.ts";
import { isStoreId, type StoreId } from "./ids.ts";
import {
  choice,
  duration,
  flag,
  integer,
  list,
  listenerHost,
  optional,
  parseHost,
  portOrOff,
  SettingFault,
  secretFile,
  setting,
  settingText,
} from "./setting-parser.ts";

const dataDir = setting<string>("DATA_DIR", "where the embedded defaults live", {
  fallbackText: "`./data`",
  fallback: dataDirectory,
  parse: (path) => resolve(path),
  show: String,
});

const storeId = setting(
  "STORE_ID",
  "identity of the only store that may be read or written, as `config` and `store check` show it; another one, or none, is refused",
  optional<StoreId>((id) => {
    if (isStoreId(id)) return id;
    throw new SettingFault("must be store_ and 16 letters or digits, as `partner-programs config` shows it");
  }),
);

const adminHostNames = setting<readonly string[]>(
  "ADMIN_HOST_NAMES",
  "comma-separated: host names by which an admin listener may be asked, beside IP addresses, `localhost` and its own host",
  list([], "none", parseHost),
);

/** Where the store is and how to reach it, and what else both programs read. */
export const sharedSettings = {
  dataDir,
  storeUrl: storeUrlSetting,
  storeId,
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
  adminHostNames,
} as const;

/** The default of the statuses that end an enrollment. An ended enrollment takes no place. */
export const defaultTerminalStatuses: readonly string[] =
  "cancelled canceled rejected declined expired refunded withdrawn no_show".split(" ");

const terminalStatuses = setting<readonly string[]>(
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
);

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
  terminalStatuses,
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
