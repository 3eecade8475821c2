import { contractViews } from "./contract.ts";
import { withSourceClient, withTransaction } from "./source-client.ts";
import { standInView } from "./view-definition.ts";

export interface StandInReport {
  /** Optional views that were missing and are empty views now. */
  readonly created: readonly string[];
  /** Required views that are missing still. */
  readonly missing: readonly string[];
}

/**
 * Creates an empty view for each optional view of the contract that the database lacks, for a company that writes
 * the views on a schema of its own. Touches nothing that exists.
 */
export async function createMissingViews(databaseUrl: string, signal?: AbortSignal): Promise<StandInReport> {
  return await withSourceClient({ databaseUrl, signal }, (client) =>
    withTransaction(client, async () => {
      // Two runs at once would both find the same view missing.
      await client.query("SELECT pg_advisory_xact_lock(hashtext('partner_source'))");
      await client.query("CREATE SCHEMA IF NOT EXISTS partner_source");
      const { rows } = await client.query<{ name: string }>(
        "SELECT relname AS name FROM pg_class WHERE relnamespace = 'partner_source'::regnamespace",
      );
      const existing = new Set(rows.map(({ name }) => name));
      const absent = contractViews.filter(({ name }) => !existing.has(name));
      const optional = absent.filter(({ isRequired }) => !isRequired);
      for (const view of optional) await client.query(standInView(view));
      const required = absent.filter(({ isRequired }) => isRequired);
      return { created: optional.map(({ name }) => name), missing: required.map(({ name }) => name) };
    }),
  );
}
