import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SourceClient, withSourcePool } from "../../../cli/database/connect.ts";
import { withLockPatience } from "../../../cli/publish/run/build-run.ts";
import { useWorkbench } from "../../support/workbench.ts";

const signal = new AbortController().signal;
const bench = useWorkbench();
let locker: pg.Client;

beforeAll(async () => {
  locker = new pg.Client({ connectionString: bench.database.url });
  await locker.connect();
});

afterAll(async () => {
  await locker.end();
});

const locked = (client: SourceClient): Promise<unknown> => client.query("SELECT FROM partner_source.faq");

async function limit(client: SourceClient): Promise<string> {
  const { rows } = await client.query<{ lock_timeout: string }>("SHOW lock_timeout");
  return rows[0]?.lock_timeout ?? "";
}

test("P130 the readings of a run share the time for which they wait for a lock in vain", async () => {
  await withSourcePool({ databaseUrl: bench.database.url, connections: 1, signal }, async (source) => {
    const pool = withLockPatience(source, { firstMs: 400, allMs: 300, eachMs: 50 });
    expect(await pool.withReading(limit)).toBe("400ms");
    await locker.query("BEGIN; LOCK TABLE partner_source.faq IN ACCESS EXCLUSIVE MODE");
    await expect(pool.withReading(locked)).rejects.toThrow("pg_blocking_pids() names the session");
    expect(await pool.withReading(limit)).toBe("50ms");
    await locker.query("COMMIT");
    await pool.withReading(locked);
    // Each run begins anew.
    expect(await withLockPatience(source, { firstMs: 400, allMs: 300, eachMs: 50 }).withReading(limit)).toBe(
      "400ms",
    );
  });
});

test("P130 in a run behind one lock every tenant's withdrawals go, and each tenant is told as locked", async () => {
  const tenants = ["a", "b", "c", "d"];
  for (const tenant_id of tenants) await bench.source.insert("tenants", { tenant_id });
  for (const tenant of tenants) await bench.insertMany(tenant, 3);
  await bench.build();
  await bench.source.query(
    "UPDATE partner_source.programs SET lifecycle_state = 'ended' WHERE program_id = 'p-2'",
  );
  await locker.query("BEGIN; LOCK TABLE partner_source.faq IN ACCESS EXCLUSIVE MODE");
  const url = new URL(bench.database.url);
  url.searchParams.set("options", "-c lock_timeout=300");
  const { report } = await bench.build(["--concurrency", "2"], { env: { DATABASE_URL: url.href } });
  await locker.query("COMMIT");
  expect(report.tenants.map(({ failure, counts }) => [failure?.code, counts.withdrawn])).toEqual(
    tenants.map(() => ["source_unavailable", 1]),
  );
});
