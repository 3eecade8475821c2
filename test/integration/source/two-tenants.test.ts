import { beforeEach, expect, test } from "vitest";
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
