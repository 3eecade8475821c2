import { type Environment, mayBeInFile, setting, settingText } from "./setting-parser.ts";
import { parseUrl, shownUrl } from "./url-setting.ts";

/** Where the booking database is. */
export type DatabaseAddress =
  | DatabaseServer
  /** The embedded PostgreSQL under `DATA_DIR`. */
  | { readonly kind: "embedded" }
  /** `STORE_URL` is set, and no database: the embedded one's sample data must not get into that store. */
  | { readonly kind: "none" };

interface DatabaseServer {
  readonly kind: "url";
  /** As `pg` takes it. It may hold a password. */
  readonly url: string;
  /** Whether `STORE_URL` is set. */
  readonly hasStore: boolean;
}

/** The setting `DATABASE_URL`. Every form that `pg` takes, also a folder of sockets in place of the host. */
export const databaseUrlSetting = mayBeInFile(
  setting<DatabaseAddress>(
    "DATABASE_URL",
    "the booking database, in any form that `pg` takes (`postgresql://USER@/DATABASE?host=/FOLDER` for a socket); read-only access to the `partner_source` views is enough to build",
    {
      fallbackText: "the embedded PostgreSQL under `DATA_DIR`; none when `STORE_URL` is set",
      fallback: (env) => ({ kind: settingText("STORE_URL", env) === undefined ? "embedded" : "none" }),
      parse: parseDatabaseUrl,
      show(address) {
        if (address.kind === "embedded") return "the embedded PostgreSQL under DATA_DIR";
        if (address.kind === "none") return "none: no command reads a database while only STORE_URL is set";
        if (socketFolder.test(address.url)) return address.url;
        return shownUrl(new URL(withHost(address.url))).replace(`@${stand}`, "@");
      },
    },
  ),
);

/**
 * Throws a `SettingFault`, which never repeats the text. `pg` itself finds host and database in it. Here it
 * is only made sure that nobody will take part of a password for one of them.
 */
export function parseDatabaseUrl(text: string, env: Environment = {}): DatabaseServer {
  if (!socketFolder.test(text)) parseUrl(withHost(text), schemes);
  return { kind: "url", url: text, hasStore: settingText("STORE_URL", env) !== undefined };
}

/** `/run/postgresql booking`: the folder of a socket and the database's name. */
const socketFolder = /^\/[^\s?#@]*(?: [^\s?#@/]+)?$/;

const schemes = ["postgres:", "postgresql:", "socket:"];

/** WHATWG's URLs have no user without a host, but libpq's and `pg`'s do. So a host stands in meanwhile. */
function withHost(text: string): string {
  return text.replace("@/", `@${stand}/`);
}

const stand = "no-host.invalid";
