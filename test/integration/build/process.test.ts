import { readdir } from "node:fs/promises";
import pg from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { beginTestStore } from "../../support/begun-store.ts";
import type { CommandOptions } from "../../support/command-line.ts";
import { storedConfirmations } from "../../support/confirmed-document.ts";
import { folderForAllTests } from "../../support/lasting.ts";
import { patience } from "../../support/patience.ts";
import { type CliProcess, type CliResult, runCli, startCli } from "../../support/run-cli.ts";
import { freshWorkbench, parsedReport } from "../../support/workbench.ts";

const bench = freshWorkbench();
const temporary = folderForAllTests();
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  env = { ...bench.env, TMPDIR: temporary };
});

beforeEach(async () => {
  await beginTestStore(bench.store);
  for (const tenantId of ["acme", "beta", "gamma"]) {
    await bench.source.insert("tenants", { tenant_id: tenantId });
    await bench.insertPrograms(tenantId, "a", "b");
  }
});

function build(
  args: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  return runCli(["snapshot", "build", ...args], { env: { ...env, ...more } });
}

test("the process ends with 0 when all is done: results on standard output, the log on standard error", async () => {
  const { status, stdout, stderr } = await build();
  expect(status).toBe(0);
  expect(stdout).toContain("Published: 3 published; 6 programs in");
  const lines = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ tenantId, outcome }) => `${tenantId} ${outcome}`).sort()).toEqual([
    "acme published",
    "beta published",
    "gamma published",
  ]);
  for (const { level, time, program } of lines) {
    expect([level, program]).toEqual(["info", "partner-programs"]);
    expect(time).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  }
});

describe("an interrupted build", () => {
  const holdLock = 4711;
  let holder: pg.Client;
  let running: CliProcess | undefined;

  /** From now on reading any of beta's programs waits until `holder` lets go. */
  beforeEach(async () => {
    holder = new pg.Client({ connectionString: bench.database.url });
    await holder.connect();
    await holder.query(`
      SELECT pg_advisory_lock(${holdLock});
      CREATE FUNCTION public.held(name text) RETURNS text LANGUAGE plpgsql STABLE AS $$
        BEGIN PERFORM pg_advisory_xact_lock_shared(${holdLock}); RETURN name; END $$;
      ALTER TABLE partner_source.programs RENAME TO programs_kept;
      CREATE VIEW partner_source.programs AS
        SELECT * FROM partner_source.programs_kept
         WHERE CASE WHEN tenant_id = 'beta' THEN public.held(name) = name ELSE true END`);
  });

  afterEach(async () => {
    if (running?.child.exitCode === null) running.child.kill("SIGKILL");
    await holder.query(`
      SELECT pg_advisory_unlock_all();
      DROP VIEW partner_source.programs;
      ALTER TABLE partner_source.programs_kept RENAME TO programs;
      DROP FUNCTION public.held`);
    await holder.end();
  });

  async function untilHeld(): Promise<void> {
    for (;;) {
      const waiting = await bench.database.query(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      if (waiting.length > 0) return;
    }
  }

  test.each(["SIGINT", "SIGTERM"] as const)(
    "(%s) ends with 130 at once, though the database keeps it waiting; what was published stays, nothing is half done",
    async (signal) => {
      running = startCli(["snapshot", "build", "--concurrency", "1", "--json"], { env });
      await untilHeld();
      const began = performance.now();
      running.child.kill(signal);
      const { status, stdout } = await running.ended;
      expect(status).toBe(130);
      expect(performance.now() - began).toBeLessThan(patience.timeout);
      const report = parsedReport(stdout);
      expect([report.outcome, report.exitStatus]).toEqual(["interrupted", 130]);
      expect(report.tenants.map(({ tenantId, outcome }) => `${tenantId} ${outcome}`)).toEqual([
        "acme published",
        "beta skipped",
        "gamma skipped",
      ]);
      expect(report.tenants[1]?.failure).toBeNull();
      expect((await bench.published("acme")).list.meta.count).toBe(2);
      const keys = [...(await bench.tree()).keys()];
      expect(keys.filter((key) => !key.startsWith("tenants/acme/"))).toEqual(["store.json"]);
      expect(await readdir(temporary)).toEqual([]);
    },
  );

  test("under `snapshot watch` ends the watch with 0, though it was waiting for the database", async () => {
    running = startCli(["snapshot", "watch", "--concurrency", "1"], { env });
    await untilHeld();
    running.child.kill("SIGTERM");
    expect([(await running.ended).status, (await bench.published("acme")).list.meta.count]).toEqual([0, 2]);
  });
});

describe("snapshot watch in a process", () => {
  const bench = freshWorkbench("acme", "beta");
  let watch: CliProcess | undefined;

  beforeEach(async () => {
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
      expect([(await ended).status, await confirmed()]).toEqual([0, ["acme", "beta"]]);
    });

    test("P9 is not refused a tenant on hold of which it is told: it withdraws what is withdrawn, and passes it over", async () => {
      await bench.insertPrograms("acme", "a2");
      await bench.build();
      await bench.source.update("name = 'New'", "a");
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

  test("P9 a hold is logged as a warning, and a person reads it once", async () => {
    await bench.run(["snapshot", "build"]);
    await bench.source.update("name = 'Held'", "a");
    await bench.run(["snapshot", "build"]);
    expect((await bench.run(["snapshot", "rollback", "--tenant", "acme"])).status).toBe(0);
    const build = ["snapshot", "build", "--tenant", "acme"];
    expect((await bench.run(build)).stderr).toMatch(/"level":"warn".*"outcome":"held"/);
    const { stdout, stderr } = await bench.run(build, { errorColumns: 80 });
    expect(`${stdout}${stderr}`.split("On hold since")).toHaveLength(2);
  });

  test("a build logs each tenant for programs, and on a terminal warnings alone unless LOG_LEVEL says otherwise", async () => {
    const logged = async (options: CommandOptions): Promise<boolean> =>
      (await bench.run(["snapshot", "build", "--rewrite"], options)).stderr.includes('"level":"info"');
    expect(await logged({})).toBe(true);
    expect(await logged({ errorColumns: 80 })).toBe(false);
    expect(await logged({ errorColumns: 80, env: { LOG_LEVEL: "info" } })).toBe(true);
  });
});
