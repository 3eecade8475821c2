import { once } from "node:events";
import { get } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { readLastRuns } from "../../../core/documents/last-runs.ts";
import { storedConfirmations } from "../../support/confirmed-document.ts";
import { type GatedSource, gateSource } from "../../support/gated-source.ts";
import { openSocket } from "../../support/raw-http.ts";
import { type CliProcess, startCli } from "../../support/run-cli.ts";
import { freshWorkbench, parsedReport } from "../../support/workbench.ts";

const bench = freshWorkbench();
let gate: GatedSource | undefined;
let watch: CliProcess;
let printed = "";
let said = "";

afterEach(async () => {
  watch.child.kill("SIGKILL");
  await watch.ended;
  await gate?.close();
  gate = undefined;
});

async function addTenants(...tenantIds: readonly string[]): Promise<void> {
  for (const tenantId of tenantIds) {
    await bench.source.insert("tenants", { tenant_id: tenantId });
    await bench.source.query(
      `INSERT INTO ${gate === undefined ? "partner_source" : "public"}.programs (tenant_id, program_id, name, lifecycle_state)
       VALUES ($1, 'a', 'A', 'active')`,
      [tenantId],
    );
  }
}

function start(...args: readonly string[]): void {
  printed = "";
  said = "";
  watch = startCli(["snapshot", "watch", "--json", ...args], {
    env: { ...bench.env, WATCH_ADMIN_PORT: "0" },
  });
  watch.child.stdout?.on("data", (text: string) => (printed += text));
  watch.child.stderr?.on("data", (text: string) => (said += text));
}

async function isLive(tenantId: string): Promise<void> {
  await expect.poll(async () => (await bench.published(tenantId)).list.meta.count).toBe(1);
}

async function adminAddress(): Promise<string> {
  await expect.poll(() => said).toContain("health and metrics on http");
  return /on (http:\S+)/.exec(said)?.[1] ?? "";
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${await adminAddress()}/metrics`)).text();
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
}

/** Whoever listens hears it. */
async function listening(): Promise<void> {
  await expect.poll(() => metric("builder_notifications_connected")).toBe(1);
}

const notifiedRuns = (): Promise<number> => metric('builder_run_duration_seconds_count{kind="notified"}');

describe("a notified tenant", () => {
  test("P32: is published while a round of all stands still", async () => {
    gate = await gateSource(bench);
    await addTenants("slow-1", "slow-2", "tardy");
    start("--interval", "3600", "--concurrency", "2");
    await listening();
    await expect.poll(() => metric("builder_queue_tenants")).toBe(2);
    await bench.source.query("NOTIFY partner_source_changed, 'tardy'");
    await isLive("tardy");
    // A run is reported when it is over, which is after partners see what it published.
    await expect.poll(() => printed).toContain("\n");
    const { options, outcome } = parsedReport(printed);
    expect([options.tenants, outcome]).toEqual([["tardy"], "published"]);
    expect((await fetch(`${await adminAddress()}/readyz`)).status).toBe(503);

    await gate.open();
    await isLive("slow-1");
    await isLive("slow-2");
    await expect.poll(async () => (await fetch(`${await adminAddress()}/readyz`)).status).toBe(200);
    expect([await metric('builder_runs_total{outcome="published"}'), await notifiedRuns()]).toEqual([2, 1]);
    const confirmedAt = () => metric('builder_tenant_confirmed_timestamp_seconds{tenant="slow-1"}');
    await expect.poll(async () => Math.abs(Date.now() / 1000 - (await confirmedAt()))).toBeLessThan(60);
  });

  test("P32: is built again after its build, when it was notified meanwhile", async () => {
    gate = await gateSource(bench);
    await addTenants("acme");
    start("--interval", "3600");
    await isLive("acme");
    await addTenants("slow-1");
    await listening();
    const notify = "NOTIFY partner_source_changed, 'slow-1 a'";
    await bench.source.query(notify);
    await gate.reached();
    for (let n = 0; n < 50; n += 1) await bench.source.query(notify);
    // A notification of another tenant after them is heard after them.
    await bench.source.query("NOTIFY partner_source_changed, 'acme'");
    await expect.poll(notifiedRuns).toBe(1);
    await gate.open();
    await isLive("slow-1");
    await expect.poll(notifiedRuns).toBe(3);
    expect(await metric("builder_queue_tenants")).toBe(0);
  });
});

test("P211: a tenant whose reading stands still keeps no other from being published and confirmed in time, is known, and is published itself in the end", async () => {
  gate = await gateSource(bench);
  await addTenants("acme", "slow-1");
  start("--interval", "1");
  await isLive("acme");
  const insertedAt = Date.now();
  await bench.source.query(
    "INSERT INTO public.programs (tenant_id, program_id, name, lifecycle_state) VALUES ('acme', 'b', 'B', 'active')",
  );
  // No notification says so.
  await expect.poll(async () => (await bench.published("acme")).list.meta.count).toBe(2);
  const confirmedAt = async (): Promise<number> =>
    Date.parse((await storedConfirmations(bench.store))?.acme?.confirmedAt ?? "");
  await expect.poll(confirmedAt).toBeGreaterThan(insertedAt);
  const knownTenants = async () =>
    (await readLastRuns(bench.store, new AbortController().signal))?.runsOfAll[0]?.tenants;
  await expect.poll(knownTenants).toEqual(["acme", "slow-1"]);
  expect((await fetch(`${await adminAddress()}/readyz`)).status).toBe(200);
  expect(await metric("builder_tenants_overdue")).toBe(0);
  await gate.open();
  await isLive("slow-1");
});

describe("snapshot watch", () => {
  test("says when notifications are down and back, and builds what changed meanwhile", async () => {
    await addTenants("acme");
    start("--interval", "3600");
    await isLive("acme");
    await listening();
    await bench.database.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'partner-programs watch'",
    );
    await addTenants("beta");
    await isLive("beta");
    const levels = () =>
      said.split("\n").flatMap((line) => (line.includes("notifications are") ? JSON.parse(line).level : []));
    await expect.poll(levels).toEqual(["warn", "info"]);
  });

  test("answers for its health to those who ask by an address, and to no page of somebody else's", async () => {
    await addTenants("acme");
    start("--interval", "3600");
    const address = await adminAddress();
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    const posted = await fetch(`${address}/metrics`, { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(await posted.json()).toEqual({ status: "method_not_allowed" });
    expect((await fetch(`${address}/v1/programs`)).status).toBe(404);
    const { port } = new URL(address);
    const status = await new Promise((resolve) => {
      get({ port, host: "127.0.0.1", path: "/metrics", headers: { Host: "rebound.example" } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
    expect(status).toBe(421);
  });

  test("ends when it is told to, although somebody has sent its listener half a request", async () => {
    start("--interval", "3600");
    const address = await adminAddress();
    const socket = openSocket(address).on("error", () => {});
    try {
      await once(socket, "connect");
      socket.write("GET /metrics HTTP/1.1\r\n");
      // The listener takes connections in their order.
      await fetch(`${address}/healthz`);
      watch.child.kill("SIGTERM");
      await expect.poll(() => watch.child.exitCode).toBe(0);
    } finally {
      socket.destroy();
    }
  });

  test("P182: hears of a change that names no tenant, each time, whatever the payload", async () => {
    await addTenants("acme");
    start("--interval", "3600");
    await isLive("acme");
    await listening();
    const payloads = ["", ", ''", ", '-all-'", ', \'{"tenant":"acme"}\''];
    for (const [at, payload] of [...payloads, ...payloads].entries()) {
      await bench.source.update(`name = 'Change ${at}'`);
      await bench.source.query(`NOTIFY partner_source_changed${payload}`);
      const served = async () => (await bench.published("acme")).list.data[0]?.name;
      await expect.poll(served).toBe(`Change ${at}`);
    }
  });

  test("the time of its run is told within bounds from 20 ms to half an hour", async () => {
    start("--interval", "3600");
    await expect.poll(() => metric('builder_run_duration_seconds_count{kind="round"}')).toBe(1);
    const text = await (await fetch(`${await adminAddress()}/metrics`)).text();
    const buckets = text.matchAll(/^builder_run_duration_seconds_bucket\{le="([^"]+)",kind="round"\}/gm);
    const bounds = [...buckets].map(([, bound]) => Number(bound));
    expect(bounds.slice(0, -1)).toEqual([0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800]);
  });

  test("P193: a name that is no tenant begins a round, once; a new tenant is built at once", async () => {
    await addTenants("acme");
    start("--interval", "3600");
    await isLive("acme");
    await listening();
    const rounds = (): Promise<number> => metric('builder_run_duration_seconds_count{kind="round"}');
    await expect.poll(rounds).toBe(1);
    await bench.source.update("name = 'Changed'");
    await bench.source.query("NOTIFY partner_source_changed, 'programs updated'");
    await expect.poll(async () => (await bench.published("acme")).list.data[0]?.name).toBe("Changed");
    await expect.poll(rounds).toBe(2);

    // A round has found that name unknown; what is heard after it shows that the second one began none.
    const many =
      "SELECT pg_notify('partner_source_changed', 'nobody-' || n) FROM generate_series(1, 10000) AS n";
    await bench.source.query("NOTIFY partner_source_changed, 'programs updated'");
    await addTenants("fresh");
    await bench.source.query("NOTIFY partner_source_changed, 'fresh'");
    await isLive("fresh");
    await expect.poll(notifiedRuns).toBe(1);
    expect(await rounds()).toBe(2);
    const runs = async () => [...(await bench.tree()).keys()].filter((key) => /runs\/\d/.test(key)).length;
    const before = await runs();
    await bench.source.query(`BEGIN; ${many}; COMMIT`);
    await expect.poll(rounds).toBeGreaterThan(2);
    await bench.source.update("name = 'Told'");
    await bench.source.query("NOTIFY partner_source_changed, 'acme'");
    await expect.poll(async () => (await bench.published("acme")).list.data[0]?.name).toBe("Told");
    expect(printed).not.toContain("tenant_vanished");
    expect(await rounds()).toBeLessThan(6);
    expect((await runs()) - before).toBeLessThan(3);
  });

  test("ends with 1 when nobody reads its output any more", async () => {
    await addTenants("acme");
    start("--interval", "3600");
    watch.child.stdout?.destroy();
    await listening();
    await bench.source.update("name = 'Changed'");
    await bench.source.query("NOTIFY partner_source_changed, 'acme'");
    expect(await watch.ended).toMatchObject({ status: 1 });
  });

  test("builds its part of all tenants with --shard, and is notified of no other", async () => {
    const tenants = ["a", "b", "c", "d", "e", "f"];
    await addTenants(...tenants);
    const builds: string[][] = [];
    for (const shard of ["1/2", "2/2"]) {
      const { report } = await bench.build(["--shard", shard, "--dry-run"]);
      builds.push(report.tenants.map(({ tenantId }) => tenantId));
    }
    expect(builds.flat().sort()).toEqual(tenants);
    const [[own = ""] = [], [other = ""] = []] = builds;
    start("--interval", "3600", "--shard", "1/2");
    await isLive(own);
    await listening();
    await bench.source.update("name = 'B'");
    await bench.source.query(`NOTIFY partner_source_changed, '${other}'`);
    await bench.source.query(`NOTIFY partner_source_changed, '${own}'`);
    await expect.poll(async () => (await bench.published(own)).list.data[0]?.name).toBe("B");
    await expect.poll(notifiedRuns).toBe(1);
    expect([...(await bench.tree()).keys()].join()).not.toContain(`tenants/${other}/`);
  });
});
