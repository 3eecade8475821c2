import { beforeAll, beforeEach, expect, test } from "vitest";
import { programViews } from "../../../cli/publish/source/program-queries.ts";
import { tenantRun, useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();
const lock = 4713;

/** A column of each view that is neither an id nor the state. */
const columns: Readonly<Record<string, string>> = {
  programs: "name",
  room_prices: "amount",
  child_prices: "amount",
  hotel_stays: "name",
  enrollments: "status",
  staff: "name",
  flights: "airline_code",
  itinerary: "title",
  faq: "question",
};
const tenantOf = (view: string): string => view.replace("_", "-");

/**
 * Each view has a fault at the rows of the tenant that is named after it, of the kind that
 * `public.fault_kind` says.
 */
beforeAll(async () => {
  await bench.source.query(`
    CREATE TABLE public.fault_kind (kind text);
    CREATE FUNCTION public.fault(tenant text, view text) RETURNS text LANGUAGE plpgsql STABLE AS $$
    BEGIN
      IF tenant <> view THEN RETURN NULL; END IF;
      CASE (SELECT kind FROM public.fault_kind)
        WHEN 'a cast' THEN RETURN 'x'::int;
        WHEN 'a lock' THEN PERFORM pg_advisory_xact_lock_shared(${lock});
        WHEN 'a statement_timeout' THEN
          RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = 'query_canceled';
        WHEN 'an ended session' THEN PERFORM pg_terminate_backend(pg_backend_pid());
        ELSE NULL;
      END CASE;
      RETURN NULL;
    END $$`);
  for (const view of programViews) {
    const column = columns[view] ?? "";
    const type = column === "amount" ? "numeric" : "text";
    await bench.source.query(`
      ALTER TABLE partner_source.${view} SET SCHEMA public;
      ALTER TABLE public.${view} RENAME ${column} TO own;
      CREATE VIEW partner_source.${view} AS
        SELECT *, coalesce(public.fault(tenant_id, '${tenantOf(view)}')::${type}, own) AS ${column} FROM public.${view}`);
  }
});

const tenants = [...programViews.map(tenantOf), "neighbour"];

beforeEach(async () => {
  await bench.source.query(`
    TRUNCATE public.fault_kind, partner_source.tenants, ${programViews.map((view) => `public.${view}`).join(", ")}`);
  await bench.source.query("INSERT INTO partner_source.tenants SELECT unnest($1::text[])", [tenants]);
  await bench.source.query(`
    INSERT INTO public.programs (tenant_id, program_id, own, lifecycle_state, capacity_total)
    SELECT tenant_id, 'p-' || n, 'Tour', 'active', 10 FROM partner_source.tenants, generate_series(1, 3) AS n`);
  for (const view of programViews.slice(1)) {
    await bench.source.query(`
      INSERT INTO public.${view} (tenant_id, program_id) SELECT tenant_id, 'p-1' FROM partner_source.tenants`);
  }
});

const withdraw = (program: string): Promise<void> =>
  bench.source.query("UPDATE public.programs SET lifecycle_state = 'ended' WHERE program_id = $1", [program]);

async function served(tenantId: string): Promise<readonly string[]> {
  return (await bench.published(tenantId)).list.data.map(({ id }) => id);
}

test.each([
  ["a cast", "source_contract"],
  ["a lock", "source_unavailable"],
  ["a statement_timeout", "source_unavailable"],
  ["an ended session", "source_unavailable"],
])(
  "P19, P130 in whatever view a tenant's reading fails because of %s, its neighbours are published, and what it states as withdrawn goes",
  async (kind, code) => {
    await bench.build();
    await withdraw("p-2");
    await bench.source.query("UPDATE public.programs SET own = 'New' WHERE program_id = 'p-3'");
    await bench.source.query("INSERT INTO public.fault_kind VALUES ($1)", [kind]);
    await bench.source.query(`SELECT pg_advisory_lock(${lock})`);
    const url = new URL(bench.database.url);
    url.searchParams.set("options", "-c lock_timeout=50");
    const { status, report } = await bench.build([], { env: { DATABASE_URL: url.href } });
    await bench.source.query(`SELECT pg_advisory_unlock(${lock})`);
    expect([status, report.problems]).toEqual([3, []]);
    for (const tenantId of tenants) {
      const run = tenantRun(report, tenantId);
      const isWell = tenantId === "neighbour";
      expect([tenantId, run.outcome, run.failure?.code]).toEqual(
        isWell ? [tenantId, "published", undefined] : [tenantId, "failed", code],
      );
      expect([run.counts.withdrawn, run.livePrograms]).toEqual([1, 2]);
      expect(await served(tenantId)).toEqual(["p-1", "p-3"]);
      const { details } = await bench.published(tenantId);
      expect(details.get("p-3")?.name).toBe(isWell ? "New" : "Tour");
    }
  },
);
