import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Environment,
  mayBeInFile,
  optional,
  SettingFault,
  type SettingKind,
  setting,
  settingText,
} from "./setting-parser.ts";

/**
 * Parses a URL; `undefined` when the text is none. `URL.canParse` is not used: once V8 has optimised it, Node.js 20 and 22 deny
 * every URL with a letter like `ü` (they give V8's Latin-1 bytes to a parser of UTF-8), so what is published would depend on
 * what ran before.
 */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** A URL of one of the given schemes. Its password, if any, is never shown. */
export function url(schemes: readonly string[], fallbackText: string): SettingKind<URL | undefined> {
  const parse = (text: string): URL => {
    const parsed = parseUrl(text, schemes);
    if (parsed.hostname === "") throw new SettingFault("names no host");
    return parsed;
  };
  return optional(parse, shownUrl, fallbackText);
}

/** Throws a `SettingFault`, which does not repeat the text, since that may hold a password. */
function parseUrl(text: string, schemes: readonly string[]): URL {
  const parsed = parsedUrl(text);
  if (parsed === undefined) throw new SettingFault(`is not a URL; ${percentEncode}`);
  const { protocol } = parsed;
  // `postgres:secret` is a valid URL without a host.
  if (!schemes.includes(protocol) || !text.slice(protocol.length).startsWith("//")) {
    throw new SettingFault(`must begin with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`);
  }
  if (isMisread(parsed)) throw new SettingFault(`is ambiguous; ${percentEncode}`);
  return parsed;
}

const percentEncode =
  "in a user name or password write # as %23, % as %25, / as %2F, : as %3A, ? as %3F and @ as %40";

/**
 * Whether part of a password may have been read as host or path. A raw `#`, `/` or `?` in the password ends the host too early,
 * and the `@` comes later. Looking up that host would show part of the password in messages and to DNS.
 */
function isMisread({ pathname, search, hash, username, password, hostname }: URL): boolean {
  if (hash !== "" || `${pathname}${search}`.includes("@")) return true;
  try {
    for (const part of [username, password, hostname, pathname]) decodeURIComponent(part);
    return false;
  } catch {
    return true;
  }
}

/** The URL without its password and its parameters, one of which may be a password. */
function shownUrl(value: URL): string {
  const shown = new URL(value);
  if (shown.password !== "") shown.password = "redacted";
  // Connection parameters may carry a password too (`?password=`).
  return shown.search === "" ? shown.href : `${shown.href.slice(0, -shown.search.length)}?redacted`;
}

/** The address of the object store: a folder, or a place in a bucket. */
export type StoreAddress =
  | { readonly kind: "file"; readonly directory: string }
  /** `prefix` is empty or ends in `/`. */
  | { readonly kind: "s3"; readonly bucket: string; readonly prefix: string };

/** The setting `STORE_URL`. */
export const storeUrlSetting = setting<StoreAddress>(
  "STORE_URL",
  "where snapshots live: `file:DIRECTORY` or `s3://BUCKET[/PREFIX]`",
  {
    fallbackText: "`file:` store under `DATA_DIR`",
    fallback: (env) => ({ kind: "file", directory: join(dataDirectory(env), "store") }),
    parse: parseStoreAddress,
    show: showStoreAddress,
  },
);

/** `file:/absolute/dir`, `file:relative/dir` or `s3://bucket[/prefix]`; throws a `SettingFault`. */
export function parseStoreAddress(text: string, env: Environment = {}): StoreAddress {
  if (text.startsWith("file:")) return { kind: "file", directory: fileDirectory(text) };
  if (text.startsWith("s3://")) return s3Address(text.slice("s3://".length), env);
  throw new SettingFault("must be file:DIRECTORY or s3://BUCKET[/PREFIX]");
}

/** The address as people write it. */
export function showStoreAddress(address: StoreAddress): string {
  return address.kind === "file" ? `file:${address.directory}` : `s3://${address.bucket}/${address.prefix}`;
}

function fileDirectory(text: string): string {
  const path = text.startsWith("file://") ? pathOfUrl(text) : text.slice("file:".length);
  if (path === "" || path.includes("\0")) throw new SettingFault("names no directory after file:");
  const directory = resolve(path);
  if (dirname(directory) === directory) throw new SettingFault("names the root of the file system");
  return directory;
}

function pathOfUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw new SettingFault("names another host; write file:/absolute/dir or file:relative/dir");
  }
}

function s3Address(rest: string, env: Environment): StoreAddress {
  const [bucket = "", ...segments] = rest.split("/");
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new SettingFault("has no valid bucket name after s3://: 3 to 63 of a-z 0-9 . -");
  }
  const path = segments.filter((segment, at) => segment !== "" || at < segments.length - 1);
  if (!path.every((segment) => /^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/.test(segment))) {
    throw new SettingFault("has a prefix with other characters than A-Z a-z 0-9 . _ ~ - in its segments");
  }
  checkEndpoint(env);
  return { kind: "s3", bucket, prefix: path.length === 0 ? "" : `${path.join("/")}/` };
}

/**
 * Checks the server's address early, since the SDK reads it only with the first call and takes `minio:9000` for a URL of the
 * scheme `minio`. The fault does not repeat the value, which may hold a password.
 */
function checkEndpoint(env: Environment): void {
  const name = endpointName(env);
  if (name === undefined) return;
  const protocol = parsedUrl(settingText(name, env) ?? "")?.protocol;
  if (protocol === "http:" || protocol === "https:") return;
  throw new SettingFault(
    `is a bucket on a server whose address ${name} does not give: it must be like https://s3.example.com or http://127.0.0.1:9000`,
  );
}

/** The variable with the address of an S3-compatible server; `undefined` for AWS. */
export function endpointName(env: Environment): string | undefined {
  return ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].find((name) => settingText(name, env) !== undefined);
}

/** The folder of the embedded defaults. */
export function dataDirectory(env: Environment): string {
  return resolve(settingText("DATA_DIR", env) ?? "data");
}

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
 * Throws a `SettingFault`, which never repeats the text. `pg` itself finds host and database in it. Here it is only made sure that
 * nobody will take part of a password for one of them.
 */
export function parseDatabaseUrl(text: string, env: Environment = {}): DatabaseServer {
  if (!socketFolder.test(text)) parseUrl(withHost(text), schemes);
  return { kind: "url", url: text, hasStore: settingText("STORE_URL", env) !== undefined };
}

/** `/run/postgresql booking`: the folder of a socket and the database's name. */
const socketFolder = /^\/[^\s?#@]*(?: [^\s?#@/]+)?$/;

const schemes = ["postgres:", "postgresql:", "socket:"];

/** WHATWG's URLs have no user without a host, but libpq's and `pg`'s have. So a host stands in while the URL is looked at. */
function withHost(text: string): string {
  return parsedUrl(text) === undefined ? text.replace("@/", `@${stand}/`) : text;
}

const stand = "no-host.invalid";
