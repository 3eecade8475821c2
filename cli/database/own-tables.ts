/** The tables of a database that are neither PostgreSQL's, nor temporary, nor an extension's: a subquery with `schema` and `name`. */
export const ownTables = `(
    SELECT nspname AS schema, relname AS name
      FROM pg_class
      JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE relkind IN ('r', 'p', 'm', 'f') AND relpersistence <> 't'
       AND nspname <> 'information_schema' AND NOT starts_with(nspname, 'pg_')
       AND NOT EXISTS (SELECT FROM pg_depend
                        WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')) AS own_table`;
