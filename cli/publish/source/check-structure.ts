import { type ClientBase, escapeIdentifier } from "pg";
import { Failure } from "../../../core/failure.ts";
import { counted } from "../../output/counted.ts";
import { castHints, sqlTypes, typeMismatch } from "./column-type.ts";
import { type ContractView, contractViews } from "./contract.ts";
import { type CatalogRelation, type CatalogSchema, readStructure } from "./read-structure.ts";
import { type Fix, problemsInBrief, type StructureCode, type StructureProblem } from "./source-problem.ts";

/**
 * Compares the views with the contract without reading a row, and finds all problems at once. `[]` when the generator can read
 * the source.
 */
export async function checkSourceStructure(client: ClientBase): Promise<readonly StructureProblem[]> {
  return structureProblems(await readStructure(client));
}

/** The problems in the contract's order. */
export function structureProblems(schema: CatalogSchema): readonly StructureProblem[] {
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

function serverTooOld(version: number): StructureProblem {
  const message = `The booking database is PostgreSQL ${Math.floor(version / 10_000)}; 14 or later is needed.`;
  const text = "upgrade it, or give the generator a newer replica of it";
  return problem("server_too_old", null, null, message, { kind: "advice", text });
}

/** The advice for a missing schema. It names `source init` only for an empty database (P102). */
function schemaMissing({ tables }: CatalogSchema): StructureProblem {
  const missing = "The schema partner_source is missing: ";
  const elsewhere = "DATABASE_URL names another database than yours (unset: the embedded one)";
  if (tables === 0) {
    const message = `${missing}the database is empty, so ${elsewhere}, or it is to hold the reference booking schema of this program.`;
    const text = "partner-programs source init";
    return problem("schema_missing", null, null, message, { kind: "command", text });
  }
  const has = counted(tables, "table");
  const message = `${missing}${elsewhere}, or nobody has written the views on its ${has} yet. The skeleton has all of them, to be filled in.`;
  const text = "partner-programs source init --skeleton > views.sql";
  return problem("schema_missing", null, null, message, { kind: "command", text });
}

function schemaDenied(role: string): StructureProblem {
  const text = `GRANT USAGE ON SCHEMA partner_source TO ${escapeIdentifier(role)};`;
  const message = `The role ${role} may not use the schema partner_source.`;
  return problem("schema_denied", null, null, message, { kind: "sql", text });
}

function viewMissing(view: ContractView): StructureProblem {
  if (!view.isRequired) {
    const message = `The view partner_source.${view.name} is missing: restore it if there was one; an empty one stands for data that you don't have.`;
    const text = "partner-programs source init --views-only";
    return problem("view_missing", view.name, null, message, { kind: "command", text });
  }
  const columns = Object.entries(view.columns).map(([name, kind]) => `${name} ${sqlTypes[kind]}`);
  return problem(
    "view_missing",
    view.name,
    null,
    `The view partner_source.${view.name} is missing, and nothing can be published without it.`,
    {
      kind: "advice",
      text: `Create a view partner_source.${view.name} over your own tables with the columns ${columns.join(", ")}.`,
    },
  );
}

function viewProblems(
  view: ContractView,
  relation: CatalogRelation,
  role: string,
): readonly StructureProblem[] {
  const target = `partner_source.${view.name}`;
  const faults: StructureProblem[] = [];
  let isReadable = true;
  for (const [column, kind] of Object.entries(view.columns)) {
    const existing = relation.columns.find(({ name }) => name === column);
    const where = `The column ${target}.${column}`;
    if (existing === undefined) {
      const message = `${where} (${sqlTypes[kind]}) is missing.`;
      const text = `add what your tables have of it AS ${column} to the end of the query of ${target}, or NULL::${sqlTypes[kind]} AS ${column} if they have nothing`;
      faults.push(problem("column_missing", view.name, column, message, { kind: "advice", text }));
      continue;
    }
    isReadable &&= existing.isReadable;
    const mismatch = typeMismatch(kind, existing.type);
    if (mismatch === undefined) continue;
    const message = `${where} must be ${sqlTypes[kind]}, but ${existing.type.shown} ${mismatch}.`;
    const text = `make it ${castHints[kind]} in the query of ${target}`;
    faults.push(problem("column_type", view.name, column, message, { kind: "advice", text }));
  }
  return isReadable ? faults : [viewDenied(view, role), ...faults];
}

function viewDenied(view: ContractView, role: string): StructureProblem {
  const message = `The role ${role} may not read partner_source.${view.name}.`;
  const text = `GRANT SELECT ON partner_source.${view.name} TO ${escapeIdentifier(role)};`;
  return problem("view_denied", view.name, null, message, { kind: "sql", text });
}

function problem(
  code: StructureCode,
  view: string | null,
  column: string | null,
  message: string,
  fix: Fix,
): StructureProblem {
  return { severity: "error", code, view, column, message, fix, count: null, examples: [] };
}

/** Throws `source_contract`, with every fault and its fix, when the views break the contract. */
export async function requireSourceStructure(client: ClientBase): Promise<void> {
  const problems = await checkSourceStructure(client);
  if (problems.length === 0) return;
  throw new Failure("source_contract", [
    "The source views break the contract; nothing is changed but what they state as withdrawn.",
    ...problemsInBrief(problems),
  ]);
}
