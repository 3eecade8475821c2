import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openWorkbench, type Workbench } from "../../support/workbench.ts";

let bench: Workbench;

beforeAll(async () => {
  bench = await openWorkbench();
});

afterAll(async () => {
  await bench.close();
});

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

test("P149 a preview warns of them, too, and of nothing when the content differs", async () => {
  await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "beta" });
  await bench.insertMany("acme", 6);
  await bench.insertMany("beta", 5);
  const { status, stdout } = await bench.run(["source", "preview", "--tenant", "acme", "--json"]);
  expect(status).toBe(0);
  expect(JSON.parse(stdout).findings).toMatchObject([
    {
      severity: "warning",
      code: "programs_shared",
      count: 5,
      examples: [{ tenantId: "acme", value: "5 of 6 program(s) looked at as beta has them" }],
    },
  ]);
  const text = await bench.run(["source", "preview", "--tenant", "acme"]);
  expect(text.stdout).toContain("warning programs_shared (tenant_id)");
  expect(text.stdout).toContain("set SHARED_PROGRAMS=warn.");
  const set = { env: { SHARED_PROGRAMS: "warn" } };
  for (const command of ["preview", "check"])
    expect((await bench.run(["source", command], set)).stdout).not.toContain("SHARED_PROGRAMS");
  await bench.source.query(
    "UPDATE partner_source.programs SET name = 'Our ' || name WHERE tenant_id = 'beta'",
  );
  const other = await bench.run(["source", "preview", "--tenant", "acme", "--json"]);
  expect(JSON.parse(other.stdout).findings).toEqual([]);
});

test("a check gives no advice to list a tenant again that was removed by command", async () => {
  await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "beta" });
  await bench.insertMany("acme", 2);
  await bench.insertMany("beta", 2);
  expect((await bench.run(["snapshot", "build"])).status).toBe(0);
  await bench.source.query("DELETE FROM partner_source.tenants WHERE tenant_id = 'beta'");
  const codes = async (): Promise<readonly string[]> => {
    const { stdout } = await bench.run(["source", "check", "--json"]);
    return JSON.parse(stdout).problems.map(({ code }: { readonly code: string }) => code);
  };
  expect(await codes()).toEqual(["programs_of_unknown_tenant"]);
  expect((await bench.run(["tenant", "remove", "beta"])).status).toBe(0);
  expect(await codes()).toEqual([]);
});

test("P145 status names tenants with the same programs until a run of all finds that their rows differ", async () => {
  await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "beta" });
  await bench.insertMany("acme", 6);
  await bench.insertMany("beta", 6);
  const isNamed = async (args: readonly string[]): Promise<boolean> => {
    expect((await bench.run(["snapshot", "build", ...args])).status).toBe(0);
    const { stdout } = await bench.run(["snapshot", "status"]);
    return stdout.includes("programs that another tenant has, too");
  };
  expect(await isNamed([])).toBe(true);
  expect(await isNamed([])).toBe(true);
  expect(await isNamed(["--tenant", "acme"])).toBe(true);
  await bench.source.query(
    "UPDATE partner_source.programs SET name = 'Our ' || name WHERE tenant_id = 'beta'",
  );
  expect(await isNamed([])).toBe(false);
});
