import type pg from "pg";
import { Failure } from "../../../core/failure.ts";
import {
  type DatabaseUrl,
  hasSqlState,
  withSourceClient,
  withTransaction,
} from "../../database/source-client.ts";
import { type ContractView, contractViews, sqlTypes } from "./contract.ts";

export interface StandInReport {
  /** Optional views that were missing and are empty views now. */
  readonly created: readonly string[];
  /** Required views that are missing still. */
  readonly missing: readonly string[];
}

/**
 * Creates an empty view for each optional view of the contract that the database lacks, for a company that has no such data.
 * Changes nothing that exists. What partners would lose by an empty view, the field guard keeps (P150).
 */
export async function createMissingViews(
  databaseUrl: DatabaseUrl,
  signal?: AbortSignal,
): Promise<StandInReport> {
  return await withSourceClient({ databaseUrl, signal }, async (client) => {
    try {
      return await withTransaction(client, () => createMissing(client));
    } catch (error) {
      // A missing privilege, or a transaction that may only read.
      if (!hasSqlState(error, "42501", "25006")) throw error;
      const message =
        "The role of DATABASE_URL may not create views in the schema partner_source; nothing was changed. Run this command as " +
        "the owner of the views, whose rights reach the tables behind them.";
      throw new Failure("source_unavailable", message, { cause: error });
    }
  });
}

/** The SQL of an empty view with the contract's columns, for data that a company does not have. */
export function standInView({ name, columns }: ContractView): string {
  const nulls = Object.entries(columns).map(([column, kind]) => `NULL::${sqlTypes[kind]} AS ${column}`);
  return `CREATE VIEW partner_source.${name} AS\n  SELECT ${nulls.join(", ")}\n   WHERE false;`;
}

async function createMissing(client: pg.Client): Promise<StandInReport> {
  // Without this lock, two runs at once could both find the same view missing.
  await client.query("SELECT pg_advisory_xact_lock(hashtext('partner_source'))");
  // `IF NOT EXISTS` needs the right to create schemas even when the schema exists, so it is asked for only when it does not.
  const { rowCount } = await client.query("SELECT FROM pg_namespace WHERE nspname = 'partner_source'");
  if (rowCount === 0) await client.query("CREATE SCHEMA IF NOT EXISTS partner_source");
  const { rows } = await client.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'partner_source'::regnamespace",
  );
  const existing = new Set(rows.map(({ name }) => name));
  const absent = contractViews.filter(({ name }) => !existing.has(name));
  const optional = absent.filter(({ isRequired }) => !isRequired);
  for (const view of optional) await client.query(standInView(view));
  const missing = absent.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return { created: optional.map(({ name }) => name), missing };
}
