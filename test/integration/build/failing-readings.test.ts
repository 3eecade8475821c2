import { mkdir, rm } from "node:fs/promises";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readLastRuns } from "../../../core/documents/last-runs.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { tenantRun, useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();

beforeAll(async () => {
  await bench.source.query(`
    ALTER TABLE partner_source.programs SET SCHEMA public;
    ALTER TABLE public.programs ADD seats text;
    ALTER TABLE partner_source.tenants SET SCHEMA public;
    ALTER TABLE partner_source.faq SET SCHEMA public`);
});

/** Views as a company writes them, each with a cast that fails at a row that is no number. */
beforeEach(async () => {
  await bench.source.query(`
    DROP VIEW IF EXISTS partner_source.programs, partner_source.tenants, partner_source.faq;
    CREATE VIEW partner_source.tenants AS SELECT tenant_id, name FROM public.tenants;
    CREATE VIEW partner_source.programs AS SELECT * FROM public.programs WHERE coalesce(seats, '1')::int > 0;
    CREATE VIEW partner_source.faq AS SELECT tenant_id, program_id, answer::int AS position, question, answer FROM public.faq;
    TRUNCATE public.programs, public.tenants, public.faq;
    INSERT INTO public.tenants VALUES ('acme', 'Acme'), ('beta', 'Beta');
    INSERT INTO public.programs (tenant_id, program_id, name, lifecycle_state, capacity_total)
      SELECT tenant_id, 'p-' || n, 'Tour ' || n, 'active', 10 FROM public.tenants, generate_series(1, 4) AS n`);
  await rm(bench.storeDirectory, { recursive: true });
  await mkdir(bench.storeDirectory);
  await bench.build();
  await cancel("acme", "p-2");
  await cancel("beta", "p-2");
});

const cancel = (tenant: string, program: string): Promise<void> =>
  bench.source.query(
    "UPDATE public.programs SET lifecycle_state = 'cancelled' WHERE tenant_id = $1 AND program_id = $2",
    [tenant, program],
  );

async function served(tenantId: string): Promise<readonly string[]> {
  return (await bench.published(tenantId)).list.data.map(({ id }) => id);
}

describe("a reading that fails", () => {
  test("P130 at a row of one tenant, asked for over all tenants, is a warning, and the others are built", async () => {
    await bench.source.query(
      "INSERT INTO public.programs (tenant_id, program_id, name, lifecycle_state, seats) VALUES ('beta', 'p-5', 'Tour 5', 'active', 'n/a')",
    );
    const { status, report } = await bench.build();
    expect([status, report.outcome, report.failure]).toEqual([3, "partial", null]);
    expect(report.problems).toMatchObject([{ severity: "warning", code: "source_unasked" }]);
    expect(tenantRun(report, "acme")).toMatchObject({ outcome: "published", counts: { withdrawn: 1 } });
    expect(tenantRun(report, "beta")).toMatchObject({
      outcome: "failed",
      failure: { code: "source_contract", message: expect.stringContaining('"n/a"') },
    });
    expect(await served("acme")).toEqual(["p-1", "p-3", "p-4"]);
  });

  test("P9, P130 while the tenant is on hold withdraws all the same, and the hold stays", async () => {
    await bench.source.query("UPDATE public.programs SET name = 'Second' WHERE program_id = 'p-1'");
    await bench.source.query("UPDATE public.programs SET lifecycle_state = 'active'");
    await bench.build();
    await bench.run(["snapshot", "rollback", "--tenant", "beta"]);
    await cancel("beta", "p-2");
    await bench.source.query("INSERT INTO public.faq VALUES ('beta', 'p-3', NULL, 'How many?', 'one')");
    const { report } = await bench.build();
    expect(tenantRun(report, "beta")).toMatchObject({ outcome: "failed", counts: { withdrawn: 1 } });
    expect(await served("beta")).toEqual(["p-1", "p-3", "p-4"]);
    expect((await bench.published("beta")).current.hold).not.toBeNull();
  });

  test("P194 with an error that quotes a long value says it in short, with what to do, and is recorded", async () => {
    const answer = "many".repeat(2_500_000);
    await bench.source.query("INSERT INTO public.faq VALUES ('beta', 'p-3', NULL, 'How many?', $1)", [
      answer,
    ]);
    const built = await bench.build();
    const { failure } = tenantRun(built.report, "beta");
    expect(failure?.message).toMatch(
      /^The view partner_source\.faq fails: .*manymany.*source check` names the row/,
    );
    const recorded = await readLastRuns(bench.store, new AbortController().signal);
    expect(recorded?.tenants.get(parseTenantId("beta"))?.failure).toEqual(failure);
    const checked = await bench.run(["source", "check", "--json"]);
    expect(checked.stdout).toContain("Reading partner_source.faq");
    for (const text of [built.stdout, built.stderr, checked.stdout, checked.stderr])
      expect(text.length).toBeLessThan(20_000);
  });
});

describe("a source that breaks its contract", () => {
  test.each([
    ["without an optional view", "DROP VIEW partner_source.faq"],
    ["without a column", "ALTER VIEW partner_source.faq RENAME question TO asked"],
    ["without the view of tenants", "DROP VIEW partner_source.tenants"],
  ])("P130 %s publishes nothing but the withdrawals that it states", async (_, sql) => {
    await bench.source.query("UPDATE public.programs SET name = 'Second' WHERE program_id = 'p-1'");
    await bench.source.query(sql);
    const { status, report } = await bench.build();
    expect([status, report.outcome, report.failure?.code]).toEqual([1, "failed", "source_contract"]);
    for (const tenantId of ["acme", "beta"]) {
      expect(tenantRun(report, tenantId)).toMatchObject({ outcome: "failed", counts: { withdrawn: 1 } });
      expect(await served(tenantId)).toEqual(["p-1", "p-3", "p-4"]);
      expect((await bench.published(tenantId)).details.get("p-1")?.name).toBe("Tour 1");
    }
  });

  test("P130 and does not even give ids and states withdraws nothing, and says that programs may be served", async () => {
    await bench.source.query("ALTER VIEW partner_source.programs RENAME lifecycle_state TO state");
    const { status, report } = await bench.build();
    expect(status).toBe(1);
    expect(tenantRun(report, "acme")).toMatchObject({
      outcome: "failed",
      problemCounts: { withdrawals_unknown: 1 },
    });
    expect(await served("acme")).toEqual(["p-1", "p-2", "p-3", "p-4"]);
  });
});

describe("a view of tenants that fails at a row", () => {
  beforeEach(async () => {
    await bench.source.query(`
      CREATE OR REPLACE VIEW partner_source.tenants AS SELECT tenant_id, name FROM public.tenants WHERE name::int > 0;
      UPDATE public.tenants SET name = '1';
      INSERT INTO public.tenants VALUES ('gamma', 'many')`);
  });

  test("P130 fails the run, and those tenants that partners have are looked up one by one", async () => {
    const { status, report } = await bench.build();
    expect([status, report.outcome, report.failure]).toEqual([3, "partial", null]);
    expect(report.problems).toMatchObject([{ severity: "error", code: "tenants_unreadable" }]);
    expect(report.tenants.map(({ tenantId, outcome }) => [tenantId, outcome])).toEqual([
      ["acme", "published"],
      ["beta", "published"],
    ]);
    expect(await served("acme")).toEqual(["p-1", "p-3", "p-4"]);
  });
});
