import type { CliSettings } from "../shell/shell.ts";
import { checkCertificateFiles } from "./certificate-files.ts";
import { connectionString } from "./connection-string.ts";
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
