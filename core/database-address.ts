import { parsedUrl, parseUrl, shownUrl } from "./parsed-url.ts";
import { mayBeInFile } from "./secret-files.ts";
import { setting, settingText } from "./setting-parser.ts";

/** Where the booking database is. */
export type DatabaseAddress =
  | DatabaseServer
  /** The embedded PostgreSQL under `DATA_DIR`. */
  | { readonly kind: "embedded" }
  /** `STORE_URL` is set, and no database is. The embedded one is not meant: its sample data must not get into that store. */
  | { readonly kind: "none" };

interface DatabaseServer {
  readonly kind: "url";
  /** As `pg` takes it. It may hold a password. */
  readonly url: string;
  /** Database, and host or socket folder: for people. */
  readonly label: string;
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
      parse: (text, env) => parseDatabaseUrl(text, settingText("STORE_URL", env) !== undefined),
      show(address) {
        if (address.kind === "embedded") return "the embedded PostgreSQL under DATA_DIR";
        if (address.kind === "none") return "none: no command reads a database while only STORE_URL is set";
        if (socketFolder.test(address.url)) return address.url;
        return shownUrl(new URL(withHost(address.url))).replace(`@${stand}`, "@");
      },
    },
  ),
);

/** Throws a `SettingFault`, which never repeats the text. */
export function parseDatabaseUrl(text: string, hasStore: boolean): DatabaseServer {
  const [, folder, name] = socketFolder.exec(text) ?? [];
  if (folder !== undefined) {
    return { kind: "url", url: text, label: `${name ?? "the default database"} on ${folder}`, hasStore };
  }
  const { hostname, pathname, searchParams, username, protocol } = parseUrl(withHost(text), schemes);
  const host = searchParams.get("host") ?? decodeURIComponent(hostname === stand ? "" : hostname);
  const database =
    protocol === "socket:" ? searchParams.get("db") : decodeURIComponent(pathname.slice(1)) || username;
  const place = protocol === "socket:" ? pathname : host || "localhost";
  return { kind: "url", url: text, label: `${database || "the default database"} on ${place}`, hasStore };
}

/** `/run/postgresql booking`: the folder of a socket and the database's name. */
const socketFolder = /^(\/[^\s?#@]*)(?: ([^\s?#@/]+))?$/;

const schemes = ["postgres:", "postgresql:", "socket:"];

/** WHATWG's URLs have no user without a host, but libpq's and `pg`'s have. So a host stands in while the URL is looked at. */
function withHost(text: string): string {
  return parsedUrl(text) === undefined ? text.replace("@/", `@${stand}/`) : text;
}

const stand = "no-host.invalid";
