import { expect, test } from "vitest";
import { freshWorkbench } from "../../support/workbench.ts";

const bench = freshWorkbench();

test("P144 a check warns of programs that two tenants have with the same id and name, from 5 on", async () => {
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

test("P144 a preview warns of them, too, unless the setting says that it is meant", async () => {
  await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "beta" });
  await bench.insertMany("acme", 6);
  await bench.insertMany("beta", 5);
  const preview = ["source", "preview", "--tenant", "acme"];
  const { findings } = JSON.parse((await bench.run([...preview, "--json"])).stdout);
  expect(findings).toMatchObject([
    { code: "programs_shared", examples: [{ value: "5 of 6 program(s) looked at as beta has them" }] },
  ]);
  const meant = await bench.run(preview, { env: { SHARED_PROGRAMS: "warn" } });
  expect(meant.stdout).not.toContain("SHARED_PROGRAMS");
});

test("P144 status names tenants with the same programs until their programs have changed", async () => {
  await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "beta" });
  await bench.insertMany("acme", 6);
  await bench.insertMany("beta", 6);
  const isNamed = async (args: readonly string[]): Promise<boolean> => {
    expect((await bench.run(["snapshot", "build", "--allow-shared", ...args])).status).toBe(0);
    const { stdout } = await bench.run(["snapshot", "status"]);
    return stdout.includes("programs that another tenant has, too");
  };
  expect([await isNamed([]), await isNamed([]), await isNamed(["--tenant", "acme"])]).toEqual([
    true,
    true,
    true,
  ]);
  await bench.source.update("name = tenant_id || name");
  expect(await isNamed([])).toBe(false);
});
