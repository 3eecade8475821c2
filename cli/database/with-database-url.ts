import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseDatabaseUrl } from "../../core/database-address.ts";
import { Failure } from "../../core/failure.ts";
import { secretIn } from "../../core/secret-files.ts";
import { SettingFault } from "../../core/setting-parser.ts";
import { showStoreAddress } from "../../core/store-address.ts";
import type { CliSettings } from "../shell/shell.ts";
import type { DatabaseUrl } from "./source-client.ts";

type DatabaseSettings = Pick<CliSettings, "databaseUrl" | "databaseUrlFile" | "dataDir">;

/**
 * Runs with the connection string of the booking database: `DATABASE_URL`, or the embedded PostgreSQL, which runs
 * for as long as the function (and any other process that uses it). Throws `settings` for what the driver cannot use.
 */
export async function withDatabaseUrl<Result>(
  { databaseUrl, databaseUrlFile, dataDir }: DatabaseSettings,
  run: (databaseUrl: DatabaseUrl) => Promise<Result>,
): Promise<Result> {
  switch (databaseUrl.kind) {
    case "embedded": {
      const { withEmbeddedPostgres } = await import("./start-embedded-postgres.ts");
      return await withEmbeddedPostgres(dataDir, {}, run);
    }
    case "none":
      throw new Failure(
        "settings",
        "DATABASE_URL is not set, though STORE_URL is. Set DATABASE_URL or DATABASE_URL_FILE to the booking database that belongs " +
          "to this store. Without either, the embedded database would be read, which has sample data.",
      );
    case "url":
      await checkCertificateFiles(databaseUrl.url);
      return await run(rereadUrl(databaseUrl.url, databaseUrlFile));
  }
}

/** The connection string; from a file, it is read anew for each connection, since passwords are rotated (P100). */
function rereadUrl(atStart: string, file: string | undefined): DatabaseUrl {
  let last = connectionString(atStart);
  if (file === undefined) return last;
  return () => {
    try {
      last = connectionString(parseDatabaseUrl(secretIn(file), true).url);
    } catch (error) {
      // The file may be replaced at this moment. If its last content is out of date, the server says so.
      if (!(error instanceof SettingFault) && !(error instanceof Failure)) throw error;
    }
    return last;
  };
}

/** The database for people, without its password. */
export function databaseLabel({
  databaseUrl,
  dataDir,
}: Pick<CliSettings, "databaseUrl" | "dataDir">): string {
  return databaseUrl.kind === "url" ? databaseUrl.label : `the embedded PostgreSQL under ${dataDir}`;
}

/** A file in the `DATA_DIR` of a demo, by which it is known as the demo's (P120). */
export const demoMark = "demo.txt";

/** Throws `settings` when a company's database would be published into the store of a demo, for want of `STORE_URL`. */
export async function refuseDemoStore({ databaseUrl, dataDir, storeUrl }: CliSettings): Promise<void> {
  if (databaseUrl.kind !== "url" || databaseUrl.hasStore) return;
  if ((await lstat(join(dataDir, demoMark)).catch(() => undefined)) === undefined) return;
  throw new Failure(
    "settings",
    `STORE_URL is not set, though DATABASE_URL is, and ${showStoreAddress(storeUrl)} belongs to a demo. Set STORE_URL to the store of this ` +
      "database; or set DATA_DIR to another folder; or unset DATABASE_URL to build the demo's own data.",
  );
}

/** The parameters of `DATABASE_URL` that are paths (PostgreSQL's documentation, 34.1.2). */
const names = ["sslrootcert", "sslcert", "sslkey"];

/** node-postgres reads these files by itself, and throws a bare `ENOENT` where it cannot. Throws `settings`. */
async function checkCertificateFiles(databaseUrl: string): Promise<void> {
  const parameters = parametersOf(databaseUrl);
  for (const name of names) {
    const path = parameters.get(name);
    if (path === null || path === "") continue;
    try {
      await readFile(path);
    } catch (error) {
      const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
      throw new Failure(
        "settings",
        `DATABASE_URL: ${name} names a file that cannot be read: ${path} (${reason}).`,
        { cause: error },
      );
    }
  }
}

/** Modes that libpq knows (PostgreSQL's documentation, 34.19), and `no-verify` of node-postgres. */
const sslModes = ["disable", "no-verify", "verify-full"];
/** node-postgres treats them alike: it checks the certificate and the host's name. */
const strict = ["allow", "prefer", "require", "verify-ca"];

/**
 * The connection string for node-postgres, which warns of `sslmode=require` and the like, since its next version will check no
 * certificate there. Operators rely on that check, so it is asked for by its strict name. Throws `settings` for an unknown mode,
 * which node-postgres would take for the strictest.
 */
export function connectionString(databaseUrl: string): string {
  const parameters = parametersOf(databaseUrl);
  const mode = parameters.get("sslmode");
  if (mode === null || sslModes.includes(mode)) return databaseUrl;
  if (!strict.includes(mode)) {
    throw new Failure(
      "settings",
      `DATABASE_URL: sslmode must be one of ${[...sslModes, ...strict].sort().join(", ")}.`,
    );
  }
  // Whoever asks for libpq's meaning gets it.
  if (parameters.get("uselibpqcompat") === "true") return databaseUrl;
  return databaseUrl.replaceAll(/([?&]sslmode=)[^&]*/g, "$1verify-full");
}

function parametersOf(databaseUrl: string): URLSearchParams {
  return new URLSearchParams(databaseUrl.slice(databaseUrl.indexOf("?") + 1));
}
