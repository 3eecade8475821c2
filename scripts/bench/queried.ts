import pg from "pg";

/** Runs one statement on a connection of its own. Returns its rows. */
export async function queried(databaseUrl: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Changes another 1% of the published programs in each round. */
export function changedPercent(round: number): string {
  return `UPDATE booking.programs SET name = name || '.'
           WHERE state = 'active' AND abs(hashtext(company_code || code)) % 100 = ${round % 100}`;
}
