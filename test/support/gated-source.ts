import pg from "pg";
import { eventually } from "./gateway-client.ts";
import type { Workbench } from "./workbench.ts";

/** Makes readings of some tenants' programs wait until the gate is opened. */
export type GatedSource = Awaited<ReturnType<typeof gateSource>>;

const key = 4711;

/** From now on until `open`, whoever reads the programs of one tenant whose id begins with `slow` waits. */
export async function gateSource(bench: Workbench) {
  const keeper = new pg.Client({ connectionString: bench.database.url });
  await keeper.connect();
  await keeper.query(`SELECT pg_advisory_lock(${key})`);
  await bench.source.query(`
    CREATE FUNCTION public.passes(tenant text) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF tenant LIKE 'slow%' AND current_query() LIKE '%tenant_id = $1%' THEN PERFORM pg_advisory_xact_lock_shared(${key}); END IF;
      RETURN true;
    END $$;
    ALTER TABLE partner_source.programs SET SCHEMA public;
    CREATE VIEW partner_source.programs AS SELECT * FROM public.programs WHERE public.passes(tenant_id)`);
  return {
    /** Resolves when a reading stands at the gate. */
    async reached() {
      // Locks are the whole server's, on which other files have gates of their own.
      const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      await eventually(
        () => keeper.query(waiting),
        ({ rowCount }) => rowCount !== 0,
      );
    },
    async open() {
      await keeper.query("SELECT pg_advisory_unlock_all()");
    },
    async close() {
      await keeper.end();
      await bench.source.query(`
        DROP VIEW partner_source.programs;
        DROP FUNCTION public.passes;
        ALTER TABLE public.programs SET SCHEMA partner_source`);
    },
  };
}
