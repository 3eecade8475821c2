import { type ClientBase, escapeIdentifier } from "pg";
import { Failure } from "../../../core/ground/failure.ts";
import { counted } from "../../output/words.ts";
import {
  type ColumnKind,
  type ContractView,
  contractViews,
  dateForms,
  howToTellUtc,
  sqlTypes,
} from "./contract.ts";
import { type CatalogRelation, type CatalogSchema, readStructure } from "./read-structure.ts";
import { type Fix, fixLines, type SourceProblem } from "./source-problem.ts";

/** Compares the views with the contract. All problems, in its order; `[]` when the source can be read. */
export function structureProblems(schema: CatalogSchema): readonly SourceProblem[] {
  if (schema.serverVersion < minServerVersion) return [serverTooOld(schema.serverVersion)];
  if (!schema.exists) return [schemaMissing(schema)];
  const denied = schema.isUsable ? [] : [schemaDenied(schema.role)];
  const relations = new Map(schema.relations.map((relation) => [relation.name, relation]));
  return [
    ...denied,
    ...contractViews.flatMap((view) => {
      const relation = relations.get(view.name);
      return relation === undefined ? [viewMissing(view)] : viewProblems(view, relation, schema.role);
    }),
  ];
}

/** PostgreSQL 14 is the first to have `hash_record_extended`, which the checksums of rows need. */
const minServerVersion = 140_000;

function serverTooOld(version: number): SourceProblem {
  const message = `The booking database is PostgreSQL ${Math.floor(version / 10_000)}; 14 or later is needed.`;
  const fix = advice("upgrade it, or give the generator a newer replica of it");
  return problem("server_too_old", message, fix);
}

/** The advice for a missing schema. It names `source init` only for an empty database (P102). */
function schemaMissing({ tables }: CatalogSchema): SourceProblem {
  const missing =
    "The schema partner_source is missing: DATABASE_URL names another database than yours (unset: the embedded one), or";
  const [message, text] =
    tables === 0
      ? [
          `${missing} this one is empty, to hold the reference booking schema of this program.`,
          "partner-programs source init",
        ]
      : [
          `${missing} nobody has written the views on its ${counted(tables, "table")} yet. The skeleton has all of them, to be filled in.`,
          "partner-programs source init --skeleton > views.sql",
        ];
  return problem("schema_missing", message, { kind: "command", text });
}

function schemaDenied(role: string): SourceProblem {
  const text = `GRANT USAGE ON SCHEMA partner_source TO ${escapeIdentifier(role)};`;
  const message = `The role ${role} may not use the schema partner_source.`;
  return problem("schema_denied", message, { kind: "sql", text });
}

function viewMissing({ name, isRequired, columns }: ContractView): SourceProblem {
  const missing = `The view partner_source.${name} is missing`;
  if (!isRequired) {
    const message = `${missing}: restore it if there was one. For data that you don't have, the fix creates an empty one, with the DATABASE_URL of the views' owner.`;
    const fix = { kind: "command", text: "partner-programs source init --views-only" } as const;
    return problem("view_missing", message, fix, name);
  }
  const typed = Object.entries(columns).map(([column, kind]) => `${column} ${sqlTypes[kind]}`);
  const fix = advice(
    `Create a view partner_source.${name} over your own tables with the columns ${typed.join(", ")}.`,
  );
  return problem("view_missing", `${missing}, and nothing can be published without it.`, fix, name);
}

function viewProblems(
  { name, columns }: ContractView,
  relation: CatalogRelation,
  role: string,
): readonly SourceProblem[] {
  const target = `partner_source.${name}`;
  const found = new Map(relation.columns.map((column) => [column.name, column]));
  const faults = Object.entries(columns).flatMap(([column, kind]) => {
    const existing = found.get(column);
    const where = `The column ${target}.${column}`;
    if (existing === undefined) {
      const text = `add what your tables have of it AS ${column} to the end of the query of ${target}, or NULL::${sqlTypes[kind]} AS ${column} if they have nothing`;
      const message = `${where} (${sqlTypes[kind]}) is missing.`;
      return [problem("column_missing", message, advice(text), name, column)];
    }
    if (acceptedTypes[kind].includes(existing.type)) return [];
    const message = `${where} must be ${sqlTypes[kind]}, but is ${existing.shown}.`;
    const text = `make it ${castHints[kind](existing.type)} in the query of ${target}`;
    return [problem("column_type", message, advice(text), name, column)];
  });
  if (Object.keys(columns).every((column) => found.get(column)?.isReadable !== false)) return faults;
  const text = `GRANT SELECT ON ${target} TO ${escapeIdentifier(role)};`;
  const denied = `The role ${role} may not read ${target}.`;
  return [problem("view_denied", denied, { kind: "sql", text }, name), ...faults];
}

const integers = ["int2", "int4", "int8"];
const texts = ["text", "varchar", "bpchar", "name", "citext", "uuid", "enum", ...integers];

/** The types whose every value can be cast to the kind without loss. */
const acceptedTypes: Readonly<Record<ColumnKind, readonly string[]>> = {
  text: texts,
  int: integers,
  numeric: ["numeric", ...integers],
  date: ["date"],
  "text[]": texts.map((type) => `${type}[]`),
};

/**
 * How a column of another type becomes one of the kind, as the middle of a sentence. P153: then the same is
 * published, and no JSON object becomes a text.
 */
const castHints: Readonly<Record<ColumnKind, (type: string) => string>> = {
  text: () => "a text (value::text; of JSON value #>> '{}', or of an object value ->> 'key')",
  int: () => "a whole number (round(value)::integer; of JSON (value #>> '{}')::integer)",
  numeric: () => "a decimal number (value::numeric, which rounds binary numbers to 15 digits)",
  date: (type) => `a calendar date (${dateHints.get(type) ?? "value::date"})`,
  "text[]": () =>
    "a list of texts (string_to_array(value, ','); of JSON ARRAY(SELECT jsonb_array_elements_text(value::jsonb)))",
};

/** D131: a timestamp has two forms, of which only the author of the view knows the right one. */
const dateHints: ReadonlyMap<string, string> = new Map([
  [
    "timestamp",
    `of local times ${dateForms.localTime}; of UTC, as Rails, Laravel and Prisma store it, ${dateForms.utc}; ${howToTellUtc}`,
  ],
  ["timestamptz", dateForms.timestamptz],
]);

function advice(text: string): Fix {
  return { kind: "advice", text };
}

function problem(
  code: string,
  message: string,
  fix: Fix,
  view: string | null = null,
  column: string | null = null,
): SourceProblem {
  return { severity: "error", code, view, column, message, fix, count: null, examples: [] };
}

/** Throws `source_contract`, with every fault and its fix, when the views break the contract. */
export async function requireSourceStructure(client: ClientBase): Promise<void> {
  const problems = structureProblems(await readStructure(client));
  if (problems.length === 0) return;
  throw new Failure("source_contract", [
    "The source views break the contract; nothing is changed but what they state as withdrawn.",
    // Problems in a row that share a fix show it once.
    ...problems.flatMap(({ message, fix }, at) =>
      problems[at + 1]?.fix.text === fix.text ? [message] : [message, ...fixLines(fix)],
    ),
  ]);
}
