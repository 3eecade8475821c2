import { describe, expect, test } from "vitest";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { forAllTests } from "../../support/lasting.ts";
import { createTestDatabase } from "../../support/postgres.ts";

const database = forAllTests(() => createTestDatabase({ isEmpty: true }));

async function source(...args: string[]): Promise<CommandResult> {
  return await runCommand(["source", ...args], { env: { DATABASE_URL: database.url } });
}

/** The tests of this list are one story, in order. */
describe("the source commands", () => {
  test("a database without views breaks the contract: exit 1, and what to run", async () => {
    const { status, stdout } = await source("check");
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /^partner_source\n {2}error {3}schema_missing\n( {4}.*\n)+ {4}Fix: run partner-programs source init\n\n.* 1 error\. .*\n$/,
    );
  });

  test("init names what it applied, and nothing the second time", async () => {
    const first = await source("init");
    expect(first).toMatchObject({ status: 0, stderr: "" });
    expect(first.stdout).toContain("  001_reference_schema\n");
    expect(await source("init")).toMatchObject({ status: 0, stdout: expect.stringContaining("up to date") });
    const json = await source("init", "--json");
    expect(JSON.parse(json.stdout)).toEqual({ applied: [], createdViews: [], missingViews: [] });
  });

  test("sample data keeps the contract, with warnings: exit 0", async () => {
    // Around today: of programs that have ended nothing is said.
    await source("seed");
    const { status, stdout } = await source("check");
    expect(status).toBe(0);
    expect(stdout).toContain("  warning capacity_total_invalid (capacity_total)\n");
    expect(stdout).toMatch(/NULL \(5\): atlas-journeys \/ ATLAS-\d{4}-0023, \.\.\.\n/);
    expect(stdout).toMatch(/^paid +\d+ +yes$/m);
    // P191: nothing is hinted at that the reference data has on purpose.
    expect(stdout).toMatch(
      /The source keeps the contract, with \d warnings \(5 tenants, 120 programs\)\.\n$/,
    );
  });
});
