import type { SourceClient } from "./connect.ts";

/**
 * Lets PostgreSQL end each statement of the transaction that takes so long (`statement_timeout`), or that waits so long for one
 * lock (`lock_timeout`); sooner where the role has a limit of its own.
 */
export async function limitWaiting(
  client: SourceClient,
  setting: "statement_timeout" | "lock_timeout",
  ms: number,
): Promise<void> {
  await client.query(
    "SELECT set_config(name, least(nullif(setting::int, 0), $2)::text, true) FROM pg_settings WHERE name = $1",
    [setting, ms],
  );
}
