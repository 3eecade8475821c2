import { Failure } from "../../../core/ground/failure.ts";
import {
  type DatabaseUrl,
  hasSqlState,
  withSourceClient,
  withTransaction,
} from "../../database/source-client.ts";
import {
  type ContractView,
  contractViews,
  dateForms,
  howToTellUtc,
  sourceViews,
  sqlTypes,
  type ViewName,
} from "../../publish/source/contract.ts";
import { readStructure } from "../../publish/source/read-structure.ts";

/**
 * A script with all views of the contract, to be filled in (P101). `psql` takes it as it is, as often as its
 * author likes: every column has its type, a view gives no rows until it reads a table, and the rights that
 * go with a dropped view are granted anew.
 */
export function viewsSkeleton(): string {
  const names = contractViews.map(({ name }) => `partner_source.${name}`);
  return [
    head,
    "BEGIN;\n\nCREATE SCHEMA IF NOT EXISTS partner_source;",
    `DROP VIEW IF EXISTS\n  ${names.join(",\n  ")};\n`,
    ...contractViews.map(emptyView),
    foot,
  ].join("\n");
}

/**
 * Creates an empty view for each optional view of the contract that the database lacks, for a company that
 * has no such data. Changes nothing that exists. `created`: these views; `missing`: required views that are
 * missing still. What partners would lose by an empty view, the field guard keeps (P150).
 */
export async function createMissingViews(databaseUrl: DatabaseUrl, signal?: AbortSignal) {
  return await withSourceClient({ databaseUrl, signal }, async (client) => {
    const creating = withTransaction(client, async () => {
      // Without this lock, two runs at once could both find the same view missing.
      await client.query("SELECT pg_advisory_xact_lock(hashtext('partner_source'))");
      const { exists, relations } = await readStructure(client);
      // `IF NOT EXISTS` needs the right to create schemas even if the schema exists, so it is asked for only
      // when it does not.
      if (!exists) await client.query("CREATE SCHEMA IF NOT EXISTS partner_source");
      const absent = contractViews.filter((view) => relations.every(({ name }) => name !== view.name));
      const optional = absent.filter(({ isRequired }) => !isRequired);
      for (const view of optional) await client.query(emptyView(view));
      const missing = absent.filter(({ isRequired }) => isRequired).map(({ name }) => name);
      return { created: optional.map(({ name }) => name), missing };
    });
    return await creating.catch((error: unknown) => {
      // A missing privilege, or a transaction that may only read.
      if (!hasSqlState(error, "42501", "25006")) throw error;
      const message =
        "The role of DATABASE_URL may not create views in the schema partner_source; nothing was changed. Run this command as " +
        "the owner of the views, whose rights reach the tables behind them.";
      throw new Failure("source_unavailable", message, { cause: error });
    });
  });
}

const head = `-- The views through which partner-programs reads a booking database.
--
-- In each view, replace NULL::type by your expressions, put your table into FROM, and remove "WHERE false". The ids must
-- not be NULL. Leave a view as it is when you have no data for it: an empty list is published. Keep all columns and their types;
-- columns that you add are not read.
--
-- A date is a day without a time of day. The day of a column "value" that has one is, by what the column holds:
--   local times    ${dateForms.localTime}
--   UTC            ${dateForms.utc}
--   timestamptz    ${dateForms.timestamptz}
-- Rails, Laravel and Prisma store UTC in a timestamp without time zone;
-- ${howToTellUtc}.
--
-- Run it with psql as the owner of your tables, as often as you like: it replaces the views, all or none, and grants them to the
-- role of the generator.
--   psql -v ON_ERROR_STOP=1 -v generator=generator -f views.sql "$OWNERS_DATABASE_URL"
-- Then, with the generator's DATABASE_URL:  partner-programs source check  and  partner-programs source preview
`;

const foot = `-- The role of the generator needs nothing else. The last line is for views that are created one by one later.
\\if :{?generator}
\\else
  \\set generator generator
\\endif
GRANT USAGE ON SCHEMA partner_source TO :"generator";
GRANT SELECT ON ALL TABLES IN SCHEMA partner_source TO :"generator";
ALTER DEFAULT PRIVILEGES IN SCHEMA partner_source GRANT SELECT ON TABLES TO :"generator";

COMMIT;
`;

/** Words for the ids, which every view has. */
const idWords = {
  tenant_id: "whose row it is: 1 to 64 of A-Z a-z 0-9 . _ ~ -",
  program_id: "which program's: 1 to 128 of A-Z a-z 0-9 . _ ~ -",
};

/** The SQL of a view that gives no rows, with the contract's columns and what each is. */
export function emptyView({ name, columns }: ContractView): string {
  const { what, columns: described } = sourceViews[name as ViewName];
  const own = Object.fromEntries(described.map(([column, , , words]) => [column, words]));
  const words: Readonly<Record<string, string>> = { ...idWords, ...own };
  const expressions = Object.entries(columns).map(([column, kind]) => `NULL::${sqlTypes[kind]} AS ${column}`);
  const width = expressions.reduce((widest, { length }) => Math.max(widest, length), 0) + 1;
  const lines = Object.keys(columns).map((column, at) => {
    const isLast = at === expressions.length - 1;
    return `    ${`${expressions[at]}${isLast ? "" : ","}`.padEnd(width)}  -- ${words[column]}`;
  });
  return [
    `-- ${what}`,
    `CREATE VIEW partner_source.${name} AS`,
    "  SELECT",
    ...lines,
    "  -- FROM your_table",
    "  WHERE false;\n",
  ].join("\n");
}
