import type pg from "pg";
import type { ColumnType } from "./column-type.ts";

export interface CatalogColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly isReadable: boolean;
}

/** A table or view of the schema `partner_source`, as the connected role sees it. */
export interface CatalogRelation {
  readonly name: string;
  /** The query behind a view; `null` for tables and materialized views. */
  readonly definition: string | null;
  readonly readers: readonly string[];
  readonly columns: readonly CatalogColumn[];
}

export interface CatalogSchema {
  /** As PostgreSQL numbers its versions: 150020 is 15.20. */
  readonly serverVersion: number;
  readonly role: string;
  readonly exists: boolean;
  readonly isUsable: boolean;
  readonly relations: readonly CatalogRelation[];
}

/** What the catalog says of the schema `partner_source`; every role may read that, whatever its privileges. */
export async function readStructure(client: pg.ClientBase): Promise<CatalogSchema> {
  const { rows } = await client.query<CatalogSchema>(structureQuery);
  const [schema] = rows;
  if (schema === undefined) throw new TypeError("an aggregate gives a row");
  return schema;
}

/** Domains may stand on domains; a column of an array's domain is an array. */
const structureQuery = `
  WITH RECURSIVE based (column_type, type) AS (
    SELECT DISTINCT atttypid, atttypid FROM pg_attribute
      JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = to_regnamespace('partner_source') AND attnum > 0 AND NOT attisdropped
    UNION
    SELECT column_type, typbasetype FROM based JOIN pg_type ON oid = type WHERE typtype = 'd'
  ),
  described (column_type, description) AS (
    SELECT column_type, json_build_object(
             'shown', format_type(column_type, NULL),
             'name', coalesce(element.typname, base.typname),
             'isArray', element.oid IS NOT NULL,
             'isEnum', coalesce(element.typtype, base.typtype) = 'e')
      FROM based
      JOIN pg_type AS base ON base.oid = type AND base.typtype <> 'd'
      LEFT JOIN pg_type AS element ON element.oid = base.typelem AND base.typcategory = 'A'
  ),
  relation (name, definition) AS (
    SELECT relname, json_build_object(
             'name', relname,
             'definition', CASE WHEN relkind = 'v' THEN pg_get_viewdef(pg_class.oid) END,
             'readers', coalesce((
               SELECT json_agg(DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(grantee) END)
                 FROM aclexplode(relacl)
                WHERE privilege_type = 'SELECT' AND grantee <> relowner), '[]'),
             'columns', json_agg(json_build_object(
               'name', attname,
               'type', description,
               'isReadable', has_column_privilege(attrelid, attnum, 'SELECT')) ORDER BY attnum))
      FROM pg_class
      JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
      JOIN described ON column_type = atttypid
     WHERE relnamespace = to_regnamespace('partner_source') AND relkind IN ('v', 'm', 'r', 'p', 'f')
     GROUP BY pg_class.oid, relname, relkind, relacl, relowner
  )
  SELECT current_setting('server_version_num')::int AS "serverVersion",
         current_user::text AS role,
         to_regnamespace('partner_source') IS NOT NULL AS exists,
         coalesce(has_schema_privilege(to_regnamespace('partner_source'), 'USAGE'), false) AS "isUsable",
         (SELECT coalesce(json_agg(definition ORDER BY name), '[]') FROM relation) AS relations`;
