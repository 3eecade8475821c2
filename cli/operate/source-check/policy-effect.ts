import { escapeIdentifier } from "pg";
import type { SourceClient } from "../../database/connect.ts";
import { tryReading } from "../../publish/source/try-reading.ts";

/** What row-level security takes away from a role, as far as the connected role can know. */
export interface PolicyEffect {
  /** `null` when it cannot be counted. */
  readonly hidden: number | null;
  /** Behind a sentence: how many rows that is. */
  readonly words: string;
}

/**
 * P104: counts the rows of a table that a role does not see. Who is exempt from the policies counts all rows, and whoever may
 * act as the role those that it sees; where one of them can't be had, PostgreSQL's own estimate of the table is said.
 * `relation`: as SQL writes it, with that estimate (below 0: none).
 */
export async function policyEffect(
  client: SourceClient,
  { relation, estimate }: { readonly relation: string; readonly estimate: number },
  role: string,
): Promise<PolicyEffect> {
  const count = async (preparation: string): Promise<number | undefined> => {
    const reading = await tryReading(client, async () => {
      await client.query(preparation);
      return await client.query<{ rows: string }>(`SELECT count(*) AS rows FROM ${relation}`);
    });
    return "result" in reading ? Number(reading.result.rows[0]?.rows) : undefined;
  };
  // With it off a query fails that a policy would take rows from.
  const all = await count("SET LOCAL row_security = off");
  const seen = await count(`SET LOCAL ROLE ${escapeIdentifier(role)}`);
  if (all !== undefined && seen !== undefined) {
    return { hidden: all - seen, words: `: ${shown(all - seen)} of ${shown(all)}` };
  }
  const estimated = estimate < 0 ? undefined : `about ${shown(estimate)}`;
  const total = all === undefined ? estimated : shown(all);
  const parts = [
    ...(seen === undefined ? [] : [`it sees ${shown(seen)}`]),
    ...(total === undefined ? [] : [`the table has ${total}`]),
  ];
  return { hidden: null, words: parts.length === 0 ? "" : ` (${parts.join(", ")})` };
}

function shown(count: number): string {
  return `${count.toLocaleString("en")} row${count === 1 ? "" : "s"}`;
}
