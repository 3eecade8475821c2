import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parsedUrl } from "../ground/url.ts";
import { type Environment, SettingFault, setting, settingText } from "./setting-parser.ts";

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
 * Checks the server's address early, since the SDK reads it only with the first call and takes `minio:9000`
 * for a URL of the scheme `minio`. The fault does not repeat the value, which may hold a password.
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
