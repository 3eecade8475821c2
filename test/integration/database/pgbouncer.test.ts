import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../support/free-port.ts";
import { eventually } from "../../support/gateway-client.ts";
import { patience } from "../../support/patience.ts";
import { createTestDatabase, type TestDatabase } from "../../support/postgres.ts";
import { runCli, startCli } from "../../support/run-cli.ts";

/** Where Debian's package puts it. */
const program = "/usr/sbin/pgbouncer";

let directory: string;
let database: TestDatabase;
let pooler: ChildProcess;
let pooledUrl: string;

beforeAll(async () => {
  if (!existsSync(program)) return;
  directory = mkdtempSync(join(tmpdir(), "pgbouncer-"));
  chmodSync(directory, 0o755);
  database = await createTestDatabase();
  const port = await freePort();
  pooledUrl = pooled(database.url, port);
  const config = join(directory, "pgbouncer.ini");
  writeFileSync(config, configuration(database.url, port));
  // PgBouncer refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  pooler = spawn(program, [...asUser, "-q", config], { stdio: "ignore" });
  await eventually(
    () => answer(pooledUrl, "SELECT 1").catch(() => []),
    (rows) => rows.length === 1,
  );
});

afterAll(async () => {
  if (pooler !== undefined) {
    pooler.kill("SIGTERM");
    await once(pooler, "exit");
    await database.close();
    rmSync(directory, { recursive: true });
  }
});

test.skipIf(!existsSync(program))(
  "P190: a pooler that gives each transaction another session of the server is read through",
  async () => {
    const env = {
      DATABASE_URL: pooledUrl,
      STORE_URL: `file:${directory}/store`,
      DATA_DIR: directory,
      LOG_LEVEL: "error",
    };
    const seeding = ["source", "seed", "--tenants", "8", "--programs", "5"];
    const seeded = await runCli(seeding, { env: { ...env, DATABASE_URL: database.url } });
    expect(seeded, seeded.stderr).toMatchObject({ status: 0 });

    for (const outcome of ["Published: 8 published", "Nothing changed, nothing written: 8 unchanged"]) {
      const built = await runCli(["snapshot", "build", "--concurrency", "4"], { env });
      expect(built, built.stderr).toMatchObject({ status: 0, stdout: expect.stringContaining(outcome) });
    }
    await database.query("UPDATE booking.programs SET name = name || '.'");
    const built = await runCli(["snapshot", "build", "--concurrency", "4"], { env });
    expect(built.stdout).toContain("Published: 8 published");
    // Locks and named statements would be left in a session that belongs to everybody.
    const ownLocks =
      "SELECT objid FROM pg_locks JOIN pg_database ON database = pg_database.oid AND datname = current_database()";
    expect(await database.query(`${ownLocks} WHERE locktype = 'advisory'`)).toEqual([]);
    expect(await answer(pooledUrl, "SELECT name FROM pg_prepared_statements")).toEqual([]);
  },
);

test.skipIf(!existsSync(program))(
  "P192: a watch says that a pooler lets it hear nothing, and how to mend that",
  async () => {
    const env = {
      ...{ DATABASE_URL: pooledUrl, STORE_URL: `file:${directory}/watched`, DATA_DIR: directory },
      WATCH_ADMIN_PORT: "0",
    };
    const watch = startCli(["snapshot", "watch"], { env });
    let said = "";
    watch.child.stderr?.on("data", (text: string) => (said += text));
    try {
      await expect
        .poll(() => said, patience)
        .toContain("notifications are not heard: a pooler such as PgBouncer");
      expect(said).toContain("DATABASE_URL that leads to the server directly");
      const address = /on (http:\S+)/.exec(said)?.[1];
      const metrics = await (await fetch(`${address}/metrics`)).text();
      expect(metrics).toContain("\nbuilder_notifications_connected 0\n");
      // The first round does not wait for what is not heard.
      await expect.poll(async () => (await fetch(`${address}/readyz`)).status, patience).toBe(200);
    } finally {
      watch.child.kill("SIGTERM");
      await watch.ended;
    }
    // It is said once, however often the watch tries.
    expect(said.split("notifications are not heard")).toHaveLength(2);
  },
);

/** Two sessions of the server for all clients. */
function configuration(url: string, port: number): string {
  const { hostname, port: serverPort, username, password } = new URL(url);
  return `[databases]
* = host=${hostname} port=${serverPort} user=${username}${password === "" ? "" : ` password=${decodeURIComponent(password)}`}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
`;
}

function pooled(url: string, port: number): string {
  const pooledUrl = new URL(url);
  pooledUrl.hostname = "127.0.0.1";
  pooledUrl.port = String(port);
  return pooledUrl.href;
}

async function answer(connectionString: string, sql: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
