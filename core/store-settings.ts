import { join, resolve } from "node:path";
import { isStoreId, type StoreId } from "./ids.ts";
import { parsedUrl } from "./parsed-url.ts";
import { secretFile } from "./secret-files.ts";
import { type Environment, SettingFault, settingText } from "./setting-parser.ts";
import { choice, flag, integer, optional, parseHost, text } from "./setting-types.ts";
import { parseStoreAddress, type StoreAddress, showStoreAddress } from "./store-address.ts";

const dataDir = text<string>({
  name: "DATA_DIR",
  about: "where the embedded defaults live",
  fallbackText: "`./data`",
  fallback: dataDirectory,
  parse: (path) => resolve(path),
  show: String,
});

const storeUrl = text<StoreAddress>({
  name: "STORE_URL",
  about: "where snapshots live: `file:DIRECTORY` or `s3://BUCKET[/PREFIX]`",
  fallbackText: "`file:` store under `DATA_DIR`",
  fallback: (env) => ({ kind: "file", directory: join(dataDirectory(env), "store") }),
  parse: (address, env) => {
    const parsed = parseStoreAddress(address);
    if (parsed.kind === "s3") checkEndpoint(env);
    return parsed;
  },
  show: showStoreAddress,
});

const storeId = optional<StoreId>({
  name: "STORE_ID",
  about:
    "identity of the only store that may be read or written, as `config` and `store check` show it; another one, or none, is refused",
  parse: (id) => {
    if (isStoreId(id)) return id;
    throw new SettingFault("must be store_ and 16 letters or digits, as `partner-programs config` shows it");
  },
});

const s3ForcePathStyle = flag({
  name: "S3_FORCE_PATH_STYLE",
  about: "S3-compatible stores: the bucket in the path instead of the host name",
  fallbackText: "`true` when an endpoint is set",
  fallback: (env) =>
    settingText("AWS_ENDPOINT_URL_S3", env) !== undefined ||
    settingText("AWS_ENDPOINT_URL", env) !== undefined,
  words: ["true", "false"],
});

const storeTimeoutMs = integer({
  name: "STORE_TIMEOUT_MS",
  about:
    "deadline of one store call, and of any pause in a body (in all: a second more per 64 KiB); a call is tried at most 3 times where that is safe",
  fallback: 10_000,
  min: 100,
  max: 600_000,
});

const logLevel = choice({
  name: "LOG_LEVEL",
  about: "JSON lines on standard error for the CLI, standard output for the gateway",
  words: ["debug", "info", "warn", "error", "silent"],
  fallback: "info",
});

/** Where the store is and how to reach it. Generator and gateway read the same settings. */
export const storeSettings = {
  dataDir,
  storeUrl,
  storeId,
  s3ForcePathStyle,
  awsAccessKeyIdFile: secretFile("AWS_ACCESS_KEY_ID"),
  awsSecretAccessKeyFile: secretFile("AWS_SECRET_ACCESS_KEY"),
  storeTimeoutMs,
  logLevel,
} as const;

/** The host names to which the admin listeners of the gateway and of `snapshot watch` answer. */
export const adminHostNames = text<readonly string[]>({
  name: "ADMIN_HOST_NAMES",
  about:
    "comma-separated: host names by which an admin listener may be asked, beside IP addresses, `localhost` and its own host",
  fallbackText: "none",
  fallback: () => [],
  parse: (list) => list.split(",").map((name) => parseHost(name.trim())),
  show: (names) => (names.length === 0 ? "none" : names.join(",")),
});

/**
 * Checks the server's address early, since the SDK reads it only with the first call and takes `minio:9000` for a URL of the
 * scheme `minio`. The fault does not repeat the value, which may hold a password.
 */
function checkEndpoint(env: Environment): void {
  const names = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];
  const name = names.find((candidate) => settingText(candidate, env) !== undefined);
  if (name === undefined) return;
  const protocol = parsedUrl(settingText(name, env) ?? "")?.protocol;
  if (protocol === "http:" || protocol === "https:") return;
  throw new SettingFault(
    `is a bucket on a server whose address ${name} does not give: it must be like https://s3.example.com or http://127.0.0.1:9000`,
  );
}

function dataDirectory(env: Environment): string {
  return resolve(settingText("DATA_DIR", env) ?? "data");
}
