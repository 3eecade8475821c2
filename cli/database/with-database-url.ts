import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { Failure } from "../../core/ground/failure.ts";
import { parseDatabaseUrl } from "../../core/process/database-address.ts";
import { SettingFault, secretIn } from "../../core/process/setting-parser.ts";
import { showStoreAddress } from "../../core/process/store-address.ts";
import type { CliSettings } from "../shell/shell.ts";
import { type SourceClient, type WaitingLimits, withSourcePool } from "./connect.ts";
import type { DatabaseUrl } from "./source-client.ts";

type DatabaseSettings = Pick<CliSettings, "databaseUrl" | "databaseUrlFile" | "dataDir">;

/** Runs with `DATABASE_URL` or the embedded PostgreSQL. Throws `settings` for what the driver cannot use. */
export async function withDatabaseUrl<Result>(
  { databaseUrl, databaseUrlFile, dataDir }: DatabaseSettings,
  run: (databaseUrl: DatabaseUrl) => Promise<Result>,
): Promise<Result> {
  switch (databaseUrl.kind) {
    case "embedded": {
      const { withEmbeddedPostgres } = await import("./start-embedded-postgres.ts");
      return await withEmbeddedPostgres(dataDir, run);
    }
    case "none":
      throw new Failure(
        "settings",
        "DATABASE_URL is not set, though STORE_URL is. Set DATABASE_URL or DATABASE_URL_FILE to the booking database that belongs " +
          "to this store. Without either, the embedded database would be read, which has sample data.",
      );
    case "url": {
      const { url } = databaseUrl;
      await checkCertificateFiles(url);
      return await run(
        databaseUrlFile === undefined ? connectionString(url) : rereadUrl(url, databaseUrlFile),
      );
    }
  }
}

/** Runs in one reading of the booking database, on a connection of its own. Throws `source_unavailable`. */
export async function withSourceReading<Result>(
  settings: DatabaseSettings,
  signal: AbortSignal,
  read: (client: SourceClient) => Promise<Result>,
  limits?: WaitingLimits,
): Promise<Result> {
  const { databaseUrl, dataDir } = settings;
  if (databaseUrl.kind === "embedded") {
    const { hasEmbeddedPostgres } = await import("./start-embedded-postgres.ts");
    const message = `DATABASE_URL is not set, and there is no embedded database under ${dataDir}.`;
    // A question must not create an embedded database, whose emptiness would then be the answer.
    if (!(await hasEmbeddedPostgres(dataDir))) throw new Failure("source_unavailable", message);
  }
  return await withDatabaseUrl(settings, (databaseUrl) =>
    withSourcePool({ databaseUrl, connections: 1, signal }, (pool) => pool.withReading(read, limits)),
  );
}

/** The connection string in the file, read anew for each connection, since passwords are rotated (P100). */
function rereadUrl(atStart: string, file: string): DatabaseUrl {
  let last = connectionString(atStart);
  return () => {
    try {
      last = connectionString(parseDatabaseUrl(secretIn(file)).url);
    } catch (error) {
      // The file may be replaced at this moment. If its last content is out of date, the server says so.
      if (!(error instanceof SettingFault) && !(error instanceof Failure)) throw error;
    }
    return last;
  };
}

/** The database for people, without its password: its name, and host or socket folder as `pg` reads them. */
export function databaseLabel({ databaseUrl, dataDir }: DatabaseSettings): string {
  if (databaseUrl.kind !== "url") return `the embedded PostgreSQL under ${dataDir}`;
  const { database, host } = new pg.Client({ connectionString: connectionString(databaseUrl.url) });
  return `${database ?? "the default database"} on ${host}`;
}

/** A file in the `DATA_DIR` of a demo, by which it is known as the demo's (P120). */
export const demoMark = "demo.txt";

/** Throws `settings` when a company's data would go into a demo's store for want of `STORE_URL`. */
export async function refuseDemoStore({ databaseUrl, dataDir, storeUrl }: CliSettings): Promise<void> {
  if (databaseUrl.kind !== "url" || databaseUrl.hasStore) return;
  if ((await lstat(join(dataDir, demoMark)).catch(() => undefined)) === undefined) return;
  throw new Failure(
    "settings",
    `STORE_URL is not set, though DATABASE_URL is, and ${showStoreAddress(storeUrl)} belongs to a demo. Set STORE_URL to the store of this ` +
      "database; or set DATA_DIR to another folder; or unset DATABASE_URL to build the demo's own data.",
  );
}

/** node-postgres reads these files and throws a bare `ENOENT` where it cannot. Throws `settings`. */
async function checkCertificateFiles(databaseUrl: string): Promise<void> {
  const parameters = parametersOf(databaseUrl);
  for (const name of ["sslrootcert", "sslcert", "sslkey"]) {
    const path = parameters.get(name);
    if (path === null || path === "") continue;
    await readFile(path).catch((cause: NodeJS.ErrnoException) => {
      const message = `DATABASE_URL: ${name} names a file that cannot be read: ${path} (${cause.code}).`;
      throw new Failure("settings", message, { cause });
    });
  }
}

/** Modes that libpq knows (PostgreSQL's documentation, 34.19), and `no-verify` of node-postgres. */
const sslModes = ["disable", "no-verify", "verify-full"];
/** node-postgres treats them alike: it checks the certificate and the host's name. */
const strict = ["allow", "prefer", "require", "verify-ca"];

/**
 * The connection string for node-postgres, whose next version checks no certificate at `sslmode=require`.
 * Operators rely on that check, so it is asked for by its strict name. Throws `settings` for an unknown mode.
 */
export function connectionString(databaseUrl: string): string {
  const parameters = parametersOf(databaseUrl);
  const mode = parameters.get("sslmode");
  if (mode === null || sslModes.includes(mode)) return databaseUrl;
  if (!strict.includes(mode)) {
    const known = [...sslModes, ...strict].sort().join(", ");
    throw new Failure("settings", `DATABASE_URL: sslmode must be one of ${known}.`);
  }
  // Whoever asks for libpq's meaning gets it.
  if (parameters.get("uselibpqcompat") === "true") return databaseUrl;
  return databaseUrl.replaceAll(/([?&]sslmode=)[^&]*/g, "$1verify-full");
}

function parametersOf(databaseUrl: string): URLSearchParams {
  return new URLSearchParams(databaseUrl.slice(databaseUrl.indexOf("?") + 1));
}
