import { databaseUrlSetting } from "./database-address.ts";
import { secretFile } from "./secret-files.ts";
import { SettingFault, settingText } from "./setting-parser.ts";
import { choice, flag, integer, listenerHost, optional, portOrOff, text } from "./setting-types.ts";
import { adminHostNames, storeSettings } from "./store-settings.ts";

/** The default of the statuses that end an enrollment. An ended enrollment takes no place. */
export const defaultTerminalStatuses: readonly string[] = [
  "cancelled",
  "canceled",
  "rejected",
  "declined",
  "expired",
  "refunded",
  "withdrawn",
  "no_show",
];

/** The settings of `partner-programs`. */
export const cliSettings = {
  databaseUrl: databaseUrlSetting,
  databaseUrlFile: secretFile("DATABASE_URL"),
  ...storeSettings,
  legacyCapacity: choice({
    name: "LEGACY_CAPACITY",
    about: "`capacity` of the legacy resource: the object of v1, or the plain total",
    words: ["object", "total"],
    fallback: "object",
  }),
  terminalStatuses: text<readonly string[]>({
    name: "TERMINAL_ENROLLMENT_STATUSES",
    about: "comma-separated: enrollments of these statuses take no place",
    fallbackText: defaultTerminalStatuses.map((status) => `\`${status}\``).join(", "),
    fallback: () => defaultTerminalStatuses,
    parse: terminalStatuses,
    show: (statuses) => statuses.join(", "),
  }),
  sharedPrograms: choice({
    name: "SHARED_PROGRAMS",
    about:
      "`refuse` or `warn`: what a build does that would add programs that another tenant has, too; `warn` is for companies that share a catalogue",
    words: ["refuse", "warn"],
    fallback: "refuse",
  }),
  liveCopy: flag({
    name: "LIVE_COPY",
    about:
      "`on` or `off`: each tenant's live files for people, all in one folder, `tenants/TENANT/live/`; `off` removes it with the next build",
    fallbackText: "`on` for `file:`, `off` for `s3:`",
    fallback: (env) => settingText("STORE_URL", env)?.startsWith("s3:") !== true,
    words: ["on", "off"],
  }),
  maxValueKb: integer({
    name: "MAX_VALUE_KB",
    about: "a text or list of the source that is larger is not read: an error of its program",
    fallback: 1024,
    min: 1,
    max: 65_536,
  }),
  maxProgramKb: integer({
    name: "MAX_PROGRAM_KB",
    about: "a program with more in one view, or with larger JSON, has an error and is not published",
    fallback: 4096,
    min: 1,
    max: 262_144,
  }),
  maxListMb: integer({
    name: "MAX_LIST_MB",
    about: "a tenant whose list and legacy list together are larger is not published",
    fallback: 128,
    min: 1,
    max: 500,
  }),
  adminHost: listenerHost({
    name: "ADMIN_HOST",
    about:
      "address of the admin listeners of the gateway and of `snapshot watch` (health, readiness, metrics)",
  }),
  watchAdminPort: portOrOff({
    name: "WATCH_ADMIN_PORT",
    about:
      "port of the admin listener of `snapshot watch`; `0` picks a free one and prints it, `off` for none",
    fallback: undefined,
  }),
  adminHostNames,
  logFile: optional<string>({
    name: "PARTNER_PROGRAMS_LOG",
    about: "the gateway's log that commands read when they are called without `--log`",
    parse: String,
  }),
} as const;

function terminalStatuses(list: string): readonly string[] {
  const statuses = list.split(",").map((status) => status.trim());
  if (statuses.every((status) => status !== "")) return statuses;
  throw new SettingFault("must be statuses separated by commas, none of them empty");
}
