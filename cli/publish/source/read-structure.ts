import type pg from "pg";
import { ownTables } from "../../database/own-tables.ts";
import type { ColumnType } from "./column-type.ts";

export interface CatalogColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly isReadable: boolean;
  readonly comment: string | null;
}

/** A right on a relation or on one of its columns. Names are quoted for SQL. */
export interface Grant {
  readonly privilege: string;
  readonly column: string | null;
  /** `PUBLIC` when everybody has the right. */
  readonly grantee: string;
  readonly isGrantable: boolean;
}

/** A table or view of the schema `partner_source`, as the connected role sees it. */
export interface CatalogRelation {
  readonly name: string;
  /** The query behind a view; `null` for tables and materialized views. */
  readonly definition: string | null;
  /** The role's name, quoted for SQL. */
  readonly owner: string;
  /** Options such as `security_barrier=true`. */
  readonly options: readonly string[];
  readonly comment: string | null;
  /** `null` while nobody has granted or revoked anything. Then only the owner has rights. */
  readonly grants: readonly Grant[] | null;
  /** Roles that get rights on every new relation of the schema (ALTER DEFAULT PRIVILEGES). */
  readonly grantedByDefault: readonly string[];
  /** Objects that depend on the relation, as PostgreSQL describes them. */
  readonly dependents: readonly string[];
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
  // People paste the definitions under another search_path. With an empty one, PostgreSQL qualifies every name in them.
  const answer: unknown = await client.query(`
    SELECT set_config('partner_programs.search_path', current_setting('search_path'), true);
    SELECT set_config('search_path', '', true);
    ${structureQuery};
    SELECT set_config('search_path', current_setting('partner_programs.search_path'), true)`);
  const schema = (answer as readonly pg.QueryResult<CatalogSchema>[])[2]?.rows[0];
  if (schema === undefined) throw new TypeError("an aggregate gives a row");
  return schema;
}

/** The objects that depend on the relation. Its own rule and its own type are parts of it, so they do not count. */
const dependentsQuery = `
  SELECT coalesce(json_agg(DISTINCT shown ORDER BY shown), '[]')
    FROM (SELECT CASE WHEN rule.oid IS NULL OR rule.ev_class = pg_class.oid
                      THEN pg_describe_object(classid, objid, 0)
                      ELSE pg_describe_object('pg_class'::regclass, rule.ev_class, 0) END AS shown
            FROM pg_depend
            LEFT JOIN pg_rewrite AS rule ON classid = 'pg_rewrite'::regclass AND rule.oid = objid
           WHERE refclassid = 'pg_class'::regclass AND refobjid = pg_class.oid
             AND deptype IN ('n', 'a')
             AND (rule.oid IS NULL OR NOT (rule.ev_class = pg_class.oid AND rule.rulename = '_RETURN'))
             AND classid NOT IN ('pg_type'::regclass, 'pg_attrdef'::regclass, 'pg_constraint'::regclass)) AS dependent`;

const roleNameSql = "CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END";

const grantsQuery = `
  SELECT coalesce(json_agg(json_build_object('privilege', privilege_type, 'column', attribute, 'grantee', ${roleNameSql},
                                             'isGrantable', is_grantable)), '[]')
    FROM (SELECT NULL AS attribute, acl.* FROM aclexplode(relacl) AS acl
          UNION ALL
          SELECT quote_ident(attname), acl.* FROM pg_attribute, aclexplode(attacl) AS acl
           WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS granted`;

const grantedByDefaultQuery = `
  SELECT coalesce(json_agg(DISTINCT ${roleNameSql}), '[]')
    FROM pg_default_acl, aclexplode(defaclacl)
   WHERE defaclobjtype = 'r' AND defaclnamespace IN (0, relnamespace) AND grantee <> relowner`;

/** Domains are followed down to their base type, since a domain may stand on another, or on an array. */
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
             'owner', quote_ident(pg_get_userbyid(relowner)),
             'options', coalesce(to_json(reloptions), '[]'),
             'comment', obj_description(pg_class.oid, 'pg_class'),
             'grants', CASE WHEN relacl IS NOT NULL OR EXISTS (
               SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attacl IS NOT NULL) THEN (${grantsQuery}) END,
             'grantedByDefault', (${grantedByDefaultQuery}),
             'dependents', (${dependentsQuery}),
             'columns', (
               SELECT coalesce(json_agg(json_build_object(
                        'name', attname,
                        'type', description,
                        'comment', col_description(attrelid, attnum),
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
