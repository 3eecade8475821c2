import type pg from "pg";

interface CatalogColumn {
  readonly name: string;
  /** The type as people write it: `timestamp with time zone`. */
  readonly shown: string;
  /** `pg_type.typname` under all domains, or `enum`; for an array, that of its elements with `[]`. */
  readonly type: string;
  readonly isReadable: boolean;
}

/** A table or view of the schema `partner_source`, as the connected role sees it. */
export interface CatalogRelation {
  readonly name: string;
  /** Whether it is a view that reads its tables with the rights of whoever asks. */
  readonly isInvoker: boolean;
  readonly columns: readonly CatalogColumn[];
}

export interface CatalogSchema {
  /** The number of PostgreSQL's version: 150020 is 15.20. */
  readonly serverVersion: number;
  readonly role: string;
  readonly exists: boolean;
  readonly isUsable: boolean;
  /** The number of tables in the database, without those of PostgreSQL and of extensions. */
  readonly tables: number;
  readonly relations: readonly CatalogRelation[];
}

/** Reads from the catalog what the schema `partner_source` holds. Every role may read the catalog. */
export async function readStructure(client: pg.ClientBase): Promise<CatalogSchema> {
  const { rows } = await client.query<CatalogSchema>(structureQuery);
  const [schema] = rows;
  if (schema === undefined) throw new TypeError("an aggregate gives a row");
  return schema;
}

/** All tables but those of PostgreSQL, of extensions and temporary ones: a subquery of `schema`, `name`. */
export const ownTables = `(
    SELECT nspname AS schema, relname AS name
      FROM pg_class
      JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relkind IN ('r', 'p', 'm', 'f') AND relpersistence <> 't'
       AND nspname <> 'information_schema' AND NOT starts_with(nspname, 'pg_')
       AND NOT EXISTS (SELECT FROM pg_depend
                        WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')) AS own_table`;

/** Domains are followed down to their base type, since a domain may stand on another, or on an array. */
const structureQuery = `
  WITH RECURSIVE based (column_type, type) AS (
    SELECT DISTINCT atttypid, atttypid FROM pg_attribute
      JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = to_regnamespace('partner_source') AND attnum > 0 AND NOT attisdropped
    UNION
    SELECT column_type, typbasetype FROM based JOIN pg_type ON oid = type WHERE typtype = 'd'
  ),
  described (column_type, type) AS (
    SELECT column_type,
           CASE coalesce(element.typtype, base.typtype) WHEN 'e' THEN 'enum' ELSE coalesce(element.typname, base.typname) END
             || CASE WHEN element.oid IS NULL THEN '' ELSE '[]' END
      FROM based
      JOIN pg_type AS base ON base.oid = type AND base.typtype <> 'd'
      LEFT JOIN pg_type AS element ON element.oid = base.typelem AND base.typcategory = 'A'
  ),
  relation (name, definition) AS (
    SELECT relname, json_build_object(
             'name', relname,
             'isInvoker', EXISTS (SELECT FROM pg_options_to_table(reloptions)
                                   WHERE CASE option_name WHEN 'security_invoker' THEN option_value::boolean END),
             'columns', (
               SELECT coalesce(json_agg(json_build_object(
                        'name', attname,
                        'shown', format_type(column_type, NULL),
                        'type', type,
                        'isReadable', has_column_privilege(attrelid, attnum, 'SELECT')) ORDER BY attnum), '[]')
                 FROM pg_attribute
                 JOIN described ON column_type = atttypid
                WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped))
      FROM pg_class
     WHERE relnamespace = to_regnamespace('partner_source') AND relkind IN ('v', 'm', 'r', 'p', 'f')
  )
  SELECT current_setting('server_version_num')::int AS "serverVersion",
         current_user::text AS role,
         to_regnamespace('partner_source') IS NOT NULL AS exists,
         coalesce(has_schema_privilege(to_regnamespace('partner_source'), 'USAGE'), false) AS "isUsable",
         (SELECT count(*)::int FROM ${ownTables}) AS tables,
         (SELECT coalesce(json_agg(definition ORDER BY name), '[]') FROM relation) AS relations`;
