import { idNotes, viewNotes } from "./column-notes.ts";
import { sqlTypes } from "./column-type.ts";
import { type ContractView, contractViews, type ViewName } from "./contract.ts";

/**
 * P101: all views of the contract as a script to be filled in. It is valid as it is: every column is there with its type, and
 * no view gives a row until somebody says which table it reads.
 */
export function viewsSkeleton(): string {
  return [
    head,
    "BEGIN;\n\nCREATE SCHEMA IF NOT EXISTS partner_source;\n",
    ...contractViews.map(view),
    foot,
  ].join("\n");
}

const head = `-- The views through which partner-programs reads a booking database.
--
-- In each view put your expressions in place of NULL::type, your table into FROM, and take "WHERE false" away; both ids must
-- not be NULL. Leave a view that you have no data for as it is: an empty list is published. No column may go or change its type;
-- further columns are not read.
--
-- Run it as the owner of your tables:  psql --set ON_ERROR_STOP=1 --file views.sql "$DATABASE_URL"
-- While you are writing, start anew each time: put  DROP SCHEMA partner_source CASCADE;  behind BEGIN. Afterwards change a view
-- with CREATE OR REPLACE VIEW, which keeps what is granted on it.
-- Then:  partner-programs source check  and  partner-programs source preview
`;

const foot = `-- For the role of the generator, which needs nothing else:
-- GRANT USAGE ON SCHEMA partner_source TO generator;
-- GRANT SELECT ON ALL TABLES IN SCHEMA partner_source TO generator;

COMMIT;
`;

function view({ name, columns }: ContractView): string {
  const { what, columns: notes } = viewNotes[name as ViewName];
  const words: Readonly<Record<string, string>> = { ...idNotes, ...notes };
  const expressions = Object.entries(columns).map(([column, kind]) => `NULL::${sqlTypes[kind]} AS ${column}`);
  const width = Math.max(...expressions.map(({ length }) => length)) + 1;
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
