import { hash } from "node:crypto";
import pg from "pg";
import type { SourceClient } from "./connect.ts";

/** All columns as text, as the database writes them. */
export type TextRow = readonly (string | null)[];

/** Leaves the values of a query as text. */
export const asText = { getTypeParser: () => (text: unknown) => text };

/** Hands over rows as they come in. With a cursor, PostgreSQL would not plan for all rows, nor work in parallel. */
export async function forEachRow(
  client: SourceClient,
  text: string,
  values: readonly unknown[],
  take: (row: TextRow) => void,
): Promise<void> {
  const config = {
    name: statementName(text),
    text,
    values: [...values],
    rowMode: "array",
    types: asText,
  } as unknown;
  const query = new pg.Query<TextRow & unknown[]>(config as pg.QueryConfig);
  let failure: { readonly reason: unknown } | undefined;
  await new Promise<void>((resolve, reject) => {
    query.on("row", (row) => {
      // Thrown out of here it would end the process.
      try {
        if (failure === undefined) take(row);
      } catch (reason) {
        failure = { reason };
      }
    });
    query.on("end", () => resolve());
    query.on("error", reject);
    // A client that has to wait first says so with a promise.
    Promise.resolve<unknown>(client.query(query)).catch(reject);
  });
  if (failure !== undefined) throw failure.reason;
}

/** A named query is parsed and planned once a session, which takes longer than running it for a small tenant. */
function statementName(text: string): string {
  return hash("sha256", text, "hex").slice(0, 32);
}

/** The rows of a query with few of them, each as an array of its columns. */
export async function rowsOf<Row extends unknown[]>(
  client: SourceClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>({ text, values: [...values], rowMode: "array" });
  return rows;
}
