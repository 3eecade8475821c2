import type { SourceClient } from "./connect.ts";

/** How long PostgreSQL lets the statements of a transaction wait; sooner where the role has a limit of its own. */
export interface WaitingLimits {
  /** Each statement ends after so many milliseconds (`statement_timeout`). */
  readonly statementMs?: number;
  /** A statement ends when it has waited so many milliseconds for one lock (`lock_timeout`). */
  readonly lockMs?: number;
}

/** Limits the waiting for the rest of the transaction. */
export async function limitWaiting(client: SourceClient, limits: WaitingLimits): Promise<void> {
  await client.query(waitingLimits(limits).join("; "));
}

/** The statements that set the limits. */
export function waitingLimits({ statementMs, lockMs }: WaitingLimits): readonly string[] {
  return [
    ...(statementMs === undefined ? [] : [limit("statement_timeout", statementMs)]),
    ...(lockMs === undefined ? [] : [limit("lock_timeout", lockMs)]),
  ];
}

/** A setting reads back with its unit, as an interval. Zero stands for no limit. */
function limit(setting: string, ms: number): string {
  const own = `nullif(extract(epoch FROM current_setting('${setting}')::interval) * 1000, 0)`;
  return `SELECT set_config('${setting}', least(${own}, ${Math.round(ms)})::int::text, true)`;
}
