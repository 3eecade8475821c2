import { optional, parseUrl, setting, shownUrl } from "./setting-types.ts";

/**
 * The address of the booking database, in every form that `pg` takes. The value is always a URL, with the parts in its query that
 * a URL cannot state otherwise: `pg` reads `user`, `password` and `host` there, too.
 */
export const databaseUrl = setting(
  "DATABASE_URL",
  "the booking database; read-only access to the `partner_source` views is enough to build",
  optional(
    (text) => parseUrl(asUrl(text), ["postgres:", "postgresql:"]),
    shownUrl,
    "the embedded PostgreSQL under `DATA_DIR`",
  ),
);

/** Other texts are left as they are, and are refused then. */
function asUrl(text: string): string {
  // `/run/postgresql booking`: the folder of a socket and the database's name.
  const [, folder, database] = /^(\/[^\s?#@]*)(?:\s+([^\s?#@/]+))?$/.exec(text) ?? [];
  if (folder !== undefined) return `postgres:///${database ?? ""}?host=${encodeURIComponent(folder)}`;
  // `postgres://user:password@/booking`: a user without a host is no URL.
  const [, scheme, user = "", password, rest = ""] =
    /^(postgres(?:ql)?:\/\/)([^:@/?#]*)(?::([^@/?#]*))?@(\/.*)$/s.exec(text) ?? [];
  if (scheme === undefined) return text;
  const login = `user=${inQuery(user)}${password === undefined ? "" : `&password=${inQuery(password)}`}`;
  return `${scheme}${rest}${rest.includes("?") ? "&" : "?"}${login}`;
}

/** Percent-encodes what has a meaning in a query and none in a user name or password. */
function inQuery(text: string): string {
  return text.replaceAll("&", "%26").replaceAll("+", "%2B");
}
