import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { CommandOptions } from "../../support/command-line.ts";
import { storedConfirmations } from "../../support/confirmed-document.ts";
import { patience } from "../../support/patience.ts";
import { type CliProcess, startCli } from "../../support/run-cli.ts";
import { parsedReport, useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();
let watch: CliProcess | undefined;

beforeEach(async () => {
  await bench.reset();
  await bench.source.insert("tenants", { tenant_id: "acme" }, { tenant_id: "beta" });
  await bench.insertPrograms("acme", "a");
  await bench.insertPrograms("beta", "b");
});

afterEach(async () => {
  watch?.child.kill("SIGKILL");
  await watch?.ended;
  watch = undefined;
});

function startWatch(...args: readonly string[]): CliProcess {
  watch = startCli(["snapshot", "watch", ...args], { env: bench.env });
  return watch;
}

async function servedIds(tenantId: string): Promise<readonly string[]> {
  const { list } = await bench.published(tenantId);
  return list.data.map(({ id }) => id).sort();
}

describe("snapshot watch", () => {
  test("P25 writes down what it confirmed while it runs, and the rest when it ends", async () => {
    const confirmed = async (): Promise<readonly string[]> =>
      Object.keys((await storedConfirmations(bench.store)) ?? {});
    const { child, ended } = startWatch("--interval", "3600");
    await vi.waitFor(async () => expect(await confirmed()).not.toEqual([]), patience);
    await vi.waitFor(async () => {
      await servedIds("acme");
      await servedIds("beta");
    }, patience);
    child.kill("SIGTERM");
    expect((await ended).status).toBe(0);
    expect(await confirmed()).toEqual(["acme", "beta"]);
  });

  test("P9 is not refused a tenant on hold of which it is told: it withdraws what is withdrawn, and passes it over", async () => {
    await bench.insertPrograms("acme", "a2");
    await bench.build();
    await bench.source.query("UPDATE partner_source.programs SET name = 'New' WHERE program_id = 'a'");
    await bench.build();
    await bench.run(["snapshot", "rollback", "--tenant", "acme"]);
    let printed = "";
    startWatch("--interval", "3600", "--json").child.stdout?.on("data", (text: string) => {
      printed += text;
    });
    await vi.waitFor(() => expect(printed).toContain("\n"), patience);
    await bench.source.query(
      `UPDATE partner_source.programs SET lifecycle_state = 'cancelled' WHERE program_id = 'a2';
       NOTIFY partner_source_changed, 'acme'`,
    );
    const reports = () => printed.split("\n").slice(0, -1).map(parsedReport);
    await vi.waitFor(() => expect(reports()).toHaveLength(2), patience);
    expect(reports()[1]).toMatchObject({
      outcome: "published",
      exitStatus: 0,
      tenants: [{ tenantId: "acme", outcome: "held", counts: { withdrawn: 1 } }],
    });
  });
});

test("a build logs each tenant for programs, and on a terminal warnings alone unless LOG_LEVEL says otherwise", async () => {
  const logged = async (options: CommandOptions): Promise<boolean> =>
    (await bench.run(["snapshot", "build", "--rewrite"], options)).stderr.includes('"level":"info"');
  expect(await logged({})).toBe(true);
  expect(await logged({ errorColumns: 80 })).toBe(false);
  expect(await logged({ errorColumns: 80, env: { LOG_LEVEL: "info" } })).toBe(true);
});
