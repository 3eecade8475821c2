import type { CliSettings } from "../shell/shell.ts";
import { type SourceClient, withSourcePool } from "./connect.ts";
import { withExistingDatabase } from "./existing-database.ts";

/** Runs in one reading of the booking database that is there, on a connection of its own. Throws `source_unavailable`. */
export async function withSourceReading<Result>(
  settings: Pick<CliSettings, "databaseUrl" | "dataDir">,
  signal: AbortSignal,
  read: (client: SourceClient) => Promise<Result>,
): Promise<Result> {
  return await withExistingDatabase(settings, (databaseUrl) =>
    withSourcePool({ databaseUrl, connections: 1, signal }, (pool) => pool.withReading(read)),
  );
}
