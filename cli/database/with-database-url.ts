import { readFile } from "node:fs/promises";
import { Failure } from "../../core/failure.ts";
import type { CliSettings } from "../shell/shell.ts";
import { withEmbeddedPostgres } from "./start-embedded-postgres.ts";

/**
 * Runs with the connection string of the booking database: `DATABASE_URL`, or the embedded PostgreSQL, which runs
 * for as long as the function (and any other process that uses it). Throws `settings` for what the driver cannot use.
 */
export async function withDatabaseUrl<Result>(
  settings: Pick<CliSettings, "databaseUrl" | "dataDir">,
  run: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  if (settings.databaseUrl !== undefined) {
    await checkCertificateFiles(settings.databaseUrl);
    return await run(connectionString(settings.databaseUrl));
  }
  return await withEmbeddedPostgres(settings.dataDir, {}, run);
}

/** The parameters of `DATABASE_URL` that are paths (PostgreSQL's documentation, 34.1.2). */
const names = ["sslrootcert", "sslcert", "sslkey"];

/** node-postgres reads these files by itself, and throws a bare `ENOENT` where it cannot. Throws `settings`. */
async function checkCertificateFiles(databaseUrl: URL): Promise<void> {
  for (const name of names) {
    const path = databaseUrl.searchParams.get(name);
    if (path === null || path === "") continue;
    try {
      await readFile(path);
    } catch (error) {
      const reason = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
      throw new Failure(
        "settings",
        `DATABASE_URL: ${name} names a file that cannot be read: ${path} (${reason}).`,
        {
          cause: error,
        },
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
export function connectionString(databaseUrl: URL): string {
  const mode = databaseUrl.searchParams.get("sslmode");
  if (mode === null || sslModes.includes(mode)) return databaseUrl.href;
  if (!strict.includes(mode)) {
    throw new Failure(
      "settings",
      `DATABASE_URL: sslmode must be one of ${[...sslModes, ...strict].sort().join(", ")}.`,
    );
  }
  // Whoever asks for libpq's meaning gets it.
  if (databaseUrl.searchParams.get("uselibpqcompat") === "true") return databaseUrl.href;
  const strictest = new URL(databaseUrl);
  strictest.searchParams.set("sslmode", "verify-full");
  return strictest.href;
}
