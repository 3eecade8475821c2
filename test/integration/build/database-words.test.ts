import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { chmod, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SourcePool, withSourcePool } from "../../../cli/database/connect.ts";
import { createReadAgain } from "../../../cli/publish/run/build-run.ts";
import { Failure } from "../../../core/ground/failure.ts";
import { rejectionOf } from "../../support/failure-of.ts";
import { useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();
/** The server leaves it where a view has failed once. */
const folder = mkdtempSync(join(tmpdir(), "failed-once-"));
const mark = join(folder, "mark");
const signal = new AbortController().signal;

beforeAll(async () => {
  // The server may run as another user.
  await chmod(folder, 0o777);
  await bench.source.query(`
    CREATE FUNCTION public.passes(tenant text) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF tenant LIKE 'e-%' THEN
        RAISE EXCEPTION 'the words of the server' USING ERRCODE = upper(substr(tenant, 3, 5));
      END IF;
      IF tenant = 'once' AND pg_stat_file('${mark}', true) IS NULL THEN
        COPY (SELECT 1) TO '${mark}';
        RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001';
      END IF;
      RETURN true;
    END $$;
    ALTER TABLE partner_source.programs SET SCHEMA public;
    CREATE VIEW partner_source.programs AS SELECT * FROM public.programs WHERE public.passes(tenant_id)`);
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

async function addTenants(...tenantIds: readonly string[]): Promise<void> {
  for (const tenantId of tenantIds) {
    await bench.source.insert("tenants", { tenant_id: tenantId });
    await bench.source.query(
      "INSERT INTO public.programs (tenant_id, program_id, name, lifecycle_state) VALUES ($1, 'a', 'A', 'active')",
      [tenantId],
    );
  }
}

function withPool<Result>(run: (pool: SourcePool) => Promise<Result>): Promise<Result> {
  return withSourcePool({ databaseUrl: bench.database.url, connections: 1, signal }, run);
}

test("P195: an error of the database is told by its class, and one that passes is read once more", async () => {
  await addTenants(
    "once",
    "e-40001",
    "e-40p01",
    "e-58030",
    "e-xx000",
    "e-53200",
    "e-53100",
    "e-25p03",
    "e-22012",
  );
  const { report } = await bench.build(["--concurrency", "4"]);
  const said = new Map(report.tenants.map(({ tenantId, failure }) => [tenantId, failure]));
  expect(said.get("once")).toBeNull();
  expect((await stat(mark)).isFile()).toBe(true);
  const passing =
    "The booking database ended the reading, which passes (the words of the server). Run it again.";
  const server = "The booking database reports a limit or a fault of its own: the words of the server.";
  for (const [tenantId, message] of [
    ["e-40001", passing],
    ["e-40p01", passing],
    ["e-58030", server],
    ["e-xx000", server],
    ["e-53200", server],
    ["e-53100", server],
  ] as const) {
    expect([tenantId, said.get(tenantId)]).toEqual([tenantId, { code: "source_unavailable", message }]);
  }
  expect(said.get("e-25p03")?.message).toContain("Raise that limit, or run it again.");
  expect(said.get("e-22012")).toMatchObject({
    code: "source_contract",
    message: expect.stringContaining("The view partner_source.programs fails: the words of the server."),
  });
});

test("P195: a run reads again ten times, and nothing twice", async () => {
  const readAgain = createReadAgain(signal, 1);
  const cause = Object.assign(new Error("conflict"), { code: "40001" });
  const passing = new Failure("source_unavailable", "It passes.", { cause });
  const answers: boolean[] = [];
  for (let at = 0; at < 12; at += 1) answers.push(await readAgain(`t-${at}`, passing));
  expect(answers.filter((isAgain) => isAgain)).toHaveLength(10);
  const other = createReadAgain(signal, 1);
  expect([await other("t", passing), await other("t", passing)]).toEqual([true, false]);
  const limit = Object.assign(new Error("full"), { code: "53100" });
  expect(await other("u", new Failure("source_unavailable", "Full.", { cause: limit }))).toBe(false);
});

test("P196: the limits of a role that end waiting transactions are raised, and not taken away", async () => {
  const name = new URL(bench.database.url).pathname.slice(1);
  const limits = ["idle_in_transaction_session_timeout", "transaction_timeout"];
  const known = await bench.database.query("SELECT name FROM pg_settings WHERE name = ANY ($1)", [limits]);
  const read = (): Promise<readonly unknown[]> =>
    withPool((pool) =>
      pool.withReading(async (client) => {
        // Longer than the role's limit of a whole transaction.
        await client.query("SELECT pg_sleep(0.3)");
        const found = known.map(({ name }) =>
          client.query(`SHOW ${name}`).then(({ rows }) => Object.values(rows[0])[0]),
        );
        return await Promise.all(found);
      }),
    );
  try {
    for (const { name: limit } of known) {
      await bench.database.query(`ALTER DATABASE "${name}" SET ${limit} = '200ms'`);
    }
    expect(await read()).toEqual(known.map(() => "15min"));
    for (const { name: limit } of known)
      await bench.database.query(`ALTER DATABASE "${name}" SET ${limit} = '1h'`);
    expect(await read()).toEqual(known.map(() => "1h"));
  } finally {
    for (const { name: limit } of known)
      await bench.database.query(`ALTER DATABASE "${name}" RESET ${limit}`);
  }
});

test("P195: why the server ended a session between two readings is told", async () => {
  const failure = await rejectionOf(
    withPool((pool) =>
      pool.withReading(async (client) => {
        const ended = once(client, "end");
        await client.query("SET LOCAL idle_in_transaction_session_timeout = 20");
        await ended;
        await client.query("SELECT 1");
      }),
    ),
  );
  expect(failure).toMatchObject({
    code: "source_unavailable",
    message: expect.stringMatching(
      /ended the session .*terminating connection due to idle-in-transaction timeout/,
    ),
  });
});
