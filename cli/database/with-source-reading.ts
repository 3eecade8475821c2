import { Failure } from "../../core/failure.ts";
import type { CliSettings } from "../shell/shell.ts";
import { type SourceClient, withSourcePool } from "./connect.ts";
import { withDatabaseUrl } from "./with-database-url.ts";

/** Runs in one reading of the booking database that is there, on a connection of its own. Throws `source_unavailable`. */
export async function withSourceReading<Result>(
  settings: Pick<CliSettings, "databaseUrl" | "databaseUrlFile" | "dataDir">,
  signal: AbortSignal,
  read: (client: SourceClient) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, dataDir } = settings;
  if (databaseUrl.kind === "embedded") {
    const { hasEmbeddedPostgres } = await import("./start-embedded-postgres.ts");
    const message = `DATABASE_URL is not set, and there is no embedded database under ${dataDir}.`;
    // A question must not create an embedded database, whose emptiness would then be the answer.
    if (!(await hasEmbeddedPostgres(dataDir))) throw new Failure("source_unavailable", message);
  }
  return await withDatabaseUrl(settings, (databaseUrl) =>
    withSourcePool({ databaseUrl, connections: 1, signal }, (pool) => pool.withReading(read)),
  );
}
