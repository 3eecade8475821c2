import { expect, test } from "vitest";
import { freshWorkbench, tenantRun } from "../../support/workbench.ts";

const bench = freshWorkbench();

/** From about 125,000 arguments on, V8 ends a call. */
const many = 130_000;

test("P215 P216 a join that multiplies the rows of tenants stops no tenant and no withdrawal", async () => {
  for (const tenant_id of ["acme", "beta"]) {
    await bench.source.insert("tenants", { tenant_id });
    await bench.insertPrograms(tenant_id, "a", "b");
  }
  await bench.build();
  await bench.source.query(
    `INSERT INTO partner_source.tenants (tenant_id)
     SELECT t.tenant_id FROM partner_source.tenants AS t, generate_series(1, ${many / 2})`,
  );
  await bench.source.query("INSERT INTO partner_source.tenants (tenant_id) VALUES ('no id'), ('no id')");
  await bench.source.update("lifecycle_state = 'cancelled'", "a");

  const { report } = await bench.build();
  expect(tenantRun(report, "acme")).toMatchObject({ outcome: "published", counts: { withdrawn: 1 } });
  expect(tenantRun(report, "beta")).toMatchObject({ outcome: "published", counts: { withdrawn: 1 } });
  expect(report.problems.map(({ code, value }) => [code, value])).toEqual([
    ["tenant_duplicate", `acme: ${many / 2} further rows`],
    ["tenant_duplicate", `beta: ${many / 2} further rows`],
    ["tenant_id_invalid", '"no id": 2 rows'],
  ]);
  expect(report.totals).toMatchObject({ errors: 1, warnings: 2 });
});

test("P215 P216 of programs of very many unlisted tenants the first are named, and all counted", async () => {
  await bench.source.insert("tenants", { tenant_id: "acme" });
  await bench.insertPrograms("acme", "a");
  await bench.source.query(
    `INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state)
     SELECT 'unlisted-' || n, 'p', 'Tour', 'active' FROM generate_series(1, ${many}) AS n`,
  );
  await bench.source.query("INSERT INTO partner_source.tenants (tenant_id) VALUES (NULL)");

  const { status, report } = await bench.build();
  expect([status, tenantRun(report, "acme").outcome]).toEqual([0, "published"]);
  expect(report.problems).toHaveLength(1 + 200);
  // The finding of another kind is not lost among them.
  expect(report.problems[0]).toMatchObject({ code: "tenant_id_null", value: "NULL" });
  expect(report.problems[1]).toMatchObject({ code: "programs_of_unknown_tenant" });
  expect(report.problemsOmitted).toBe(many - 200);
  expect(report.problemCounts).toEqual({ programs_of_unknown_tenant: many, tenant_id_null: 1 });
  expect(report.totals).toMatchObject({ errors: 0, warnings: many + 1 });

  const { stdout } = await bench.run(["snapshot", "build"]);
  expect(stdout).toContain(`warning programs_of_unknown_tenant (${many}): unlisted-1: 1 program(s)`);
});

test("P215 very many rows without an id are left out of their tenant, and `source check` counts them", async () => {
  await bench.source.insert("tenants", { tenant_id: "acme" });
  await bench.insertPrograms("acme", "a");
  await bench.source.query(
    `INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state)
     SELECT 'acme', NULL, 'Tour', 'active' FROM generate_series(1, ${many})`,
  );
  const { status, report } = await bench.build();
  expect(status).toBe(3);
  const run = tenantRun(report, "acme");
  expect(run).toMatchObject({ outcome: "published", counts: { programs: 1, invalid: many } });
  expect(run.problemCounts).toEqual({ program_id_invalid: many });
  expect((run.leftOut ?? []).length + (run.leftOutOmitted ?? 0)).toBe(many);

  const check = await bench.run(["source", "check", "--json"]);
  expect(check.status).toBe(1);
  expect(JSON.parse(check.stdout).problems).toContainEqual(
    expect.objectContaining({ code: "program_id_invalid", count: many }),
  );
});

test("P217 however many warnings other tenants have, a report says why a program was left out", async () => {
  const tenants = 60;
  await bench.source.query(
    `INSERT INTO partner_source.tenants (tenant_id)
     SELECT 'tenant-' || lpad(n::text, 2, '0') FROM generate_series(1, ${tenants}) AS n`,
  );
  await bench.source.query(
    `INSERT INTO partner_source.programs (tenant_id, program_id, name, lifecycle_state, capacity_total, gallery_urls)
     SELECT tenant_id, 'p', 'Tour', 'active', 10, array_fill('http://a/'::text, ARRAY[200])
     FROM partner_source.tenants`,
  );
  await bench.insertPrograms(`tenant-${tenants}`, { program_id: "nameless", name: " " });

  const { report } = await bench.build(["--concurrency", "1"]);
  const found = report.tenants.flatMap(({ problems }) => problems);
  expect(found.filter(({ severity }) => severity === "warning")).toHaveLength(5000);
  expect(tenantRun(report, `tenant-${tenants}`).problems).toMatchObject([
    { code: "program_name_blank", programId: "nameless" },
  ]);
  expect(report.totals).toMatchObject({ errors: 1, warnings: tenants * 200 });
});
