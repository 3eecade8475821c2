import { beforeEach, describe, expect, test } from "vitest";
import { useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();

beforeEach(async () => {
  await bench.reset();
});

test("P149 a check warns of programs that two tenants have with the same id and content, from 5 on", async () => {
  await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "beta" });
  await bench.insertMany("acme", 6);
  await bench.insertMany("beta", 4);
  expect((await bench.run(["source", "check"])).stdout).toContain("keeps the contract (2 tenants");
  await bench.insertPrograms("beta", { program_id: "p-5", name: "Tour 5" });
  const { status, stdout } = await bench.run(["source", "check", "--json"]);
  expect(status).toBe(0);
  expect(JSON.parse(stdout).problems).toMatchObject([
    {
      severity: "warning",
      code: "programs_shared",
      count: 5,
      examples: [{ tenantId: "beta", value: "5 program(s) as acme has them" }],
    },
  ]);
});

test("D140 tenant ids that differ between tenants and programs in case only fail the check, with the sentence that fits", async () => {
  await bench.source.insert("tenants", { tenant_id: "ACME" });
  await bench.insertMany("acme", 2);
  const { status, stdout } = await bench.run(["source", "check"]);
  expect(status).toBe(1);
  expect(stdout).toContain("error   tenant_id_case (tenant_id)");
  expect(stdout.replaceAll(/\s+/g, " ")).toContain("look for lower() or upper() in one of them");
});

describe("P146 a tenant that is published under an id of other case", () => {
  beforeEach(async () => {
    await bench.source.insert("tenants", { tenant_id: "ACME" }, { tenant_id: "beta" });
    await bench.insertMany("ACME", 2);
    await bench.insertPrograms("beta", "b");
    await bench.build();
    await bench.source.query("UPDATE partner_source.tenants SET tenant_id = lower(tenant_id)");
    await bench.source.query("UPDATE partner_source.programs SET tenant_id = lower(tenant_id)");
  });

  test("fails the check of the source, with both ids, as long as the store holds it", async () => {
    const { status, stdout } = await bench.run(["source", "check", "--json"]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout).problems).toMatchObject([
      {
        severity: "error",
        code: "tenant_id_case",
        view: "tenants",
        count: 1,
        examples: [{ tenantId: "acme", programId: null, value: "ACME" }],
      },
    ]);
    const elsewhere = await bench.run(["source", "check"], { env: { STORE_URL: "file:/proc/none" } });
    expect(elsewhere.status).toBe(0);
    await bench.run(["tenant", "remove", "ACME"]);
    expect((await bench.run(["source", "check"])).status).toBe(0);
  });
});
