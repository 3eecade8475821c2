import { hash } from "node:crypto";
import type { QueryArrayConfig } from "pg";
import type { SourceClient } from "./connect.ts";

/** All columns as text, as the database writes them. */
export type TextRow = readonly (string | null)[];

/** Leaves the values of a query as text. */
export const asText = { getTypeParser: () => (text: unknown) => text };

/**
 * The rows of a query that every build asks. With a cursor, PostgreSQL would not plan for all rows, nor work in parallel. A named query
 * is parsed and planned once a session, which takes longer than running it for a small tenant.
 */
export async function textRows(
  client: SourceClient,
  text: string,
  values: readonly unknown[],
): Promise<readonly TextRow[]> {
  const name = hash("sha256", text, "hex").slice(0, 32);
  const config = { name, text, values: [...values], rowMode: "array", types: asText } as unknown;
  return (await client.query<(string | null)[]>(config as QueryArrayConfig)).rows;
}

/** The rows of a query that is seldom asked, each as an array of its columns. */
export async function rowsOf<Row extends unknown[]>(
  client: SourceClient,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const { rows } = await client.query<Row>({ text, values: [...values], rowMode: "array" });
  return rows;
}
