// `npm run bench:rounds [-- --seconds S] [--only TEXT]`: what a tenant of 500 programs sees of `snapshot
// watch --interval 10` while another one holds up its builds. Told changes notify, untold ones are found by a
// round. Ends with 1 when they took too long.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { withEmbeddedPostgres } from "../../cli/database/start-embedded-postgres.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { queried } from "./queried.ts";
import { benchOptions, type Row, reportBench } from "./report.ts";
import { seedTenants } from "./seeded.ts";

const values = benchOptions({ seconds: "45", only: "" });
const attackMs = Number(values.seconds) * 1000;
const intervalSeconds = 10;
/** A round that has found a change publishes it soon after the interval; a told change is due in a second. */
const limits = {
  toldMs: 1000,
  untoldMs: 2 * intervalSeconds * 1000,
  confirmedMs: 3 * intervalSeconds * 1000,
};
const folder = temporaryFolder("bench");
const storeDirectory = join(folder, "store");
const cliPath = fileURLToPath(new URL("../../cli/main.js", import.meta.url));
const env: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  DATA_DIR: folder,
  STORE_URL: `file:${storeDirectory}`,
  LOG_LEVEL: "silent",
};

interface World {
  readonly databaseUrl: string;
  readonly hog: string;
  sql(text: string): Promise<unknown>;
}

interface Attack {
  readonly title: string;
  /** Programs of the tenants; the first one is watched, the second one attacks. */
  readonly sizes: readonly number[];
  /** What holds everybody up while it lasts, so that nothing is promised. */
  readonly isOfAll?: true;
  /** Returns what ends it. */
  begin(world: World): Promise<() => Promise<unknown>>;
}

const few = [500, 500, 500, 500, 500, 500];
const attacks: readonly Attack[] = [
  { title: "a view that takes 120 s", sizes: few, begin: slowView },
  { title: "a first build of 5,000 programs", sizes: few, begin: (world) => firstBuild(world, 10) },
  {
    title: "a first build of 50,000 programs, beside 500 tenants of 20",
    sizes: Array<number>(500).fill(20),
    begin: (world) => firstBuild(world, 2500),
  },
  {
    title: "a row of 100 MB",
    sizes: few,
    begin: async ({ hog, sql }) => {
      const copy = `booking.marketing_copy SET description = repeat('x', 100000000) WHERE company_code = '${hog}'`;
      await sql(
        `UPDATE ${copy} AND program_code = (SELECT min(code) FROM booking.programs WHERE company_code = '${hog}')`,
      );
      return async () => {};
    },
  },
  {
    title: "a folder that cannot be written",
    sizes: few,
    begin: async ({ hog, sql }) => {
      const path = join(storeDirectory, "tenants", hog, "snapshots");
      rmSync(path, { recursive: true });
      writeFileSync(path, "");
      await sql(`UPDATE booking.programs SET capacity = capacity + 1 WHERE company_code = '${hog}'`);
      return async () => {};
    },
  },
  {
    title: "a tenant that comes and goes each second",
    sizes: few,
    async begin({ hog, sql }) {
      const definition = await viewOf(sql, "tenants");
      const over = new AbortController();
      const changing = (async () => {
        for (let at = 0; !over.signal.aborted; at += 1) {
          const shown = at % 2 === 0 ? `WHERE tenant_id <> '${hog}'` : "";
          await sql(
            `CREATE OR REPLACE VIEW partner_source.tenants AS SELECT * FROM (${definition}) AS own ${shown}`,
          );
          await sql("NOTIFY partner_source_changed");
          await delay(1000);
        }
      })();
      return async () => {
        over.abort();
        await changing;
      };
    },
  },
  {
    title: "a second builder",
    sizes: few,
    async begin() {
      const second = startWatch();
      return async () => await stop(second);
    },
  },
  {
    title: "LOCK TABLE for 20 s",
    sizes: few,
    isOfAll: true,
    async begin({ databaseUrl }) {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      await client.query("BEGIN; LOCK TABLE booking.companies IN ACCESS EXCLUSIVE MODE");
      const over = delay(20_000).then(() => client.end());
      return async () => await over;
    },
  },
  {
    title: "max_connections reached for 20 s",
    sizes: few,
    isOfAll: true,
    async begin({ databaseUrl }) {
      const clients: pg.Client[] = [];
      for (let isRefused = false; !isRefused; ) {
        const client = new pg.Client({ connectionString: databaseUrl });
        isRefused = await client.connect().then(
          () => clients.push(client) < 0,
          () => true,
        );
      }
      const over = delay(20_000).then(() => Promise.all(clients.map((client) => client.end())));
      return async () => await over;
    },
  },
];

/** The tenant begins anew with so many times its programs. */
async function firstBuild({ hog, sql }: World, times: number): Promise<() => Promise<unknown>> {
  const columns =
    "name, state, departure_date, return_date, departure_point, capacity, currency, single_price";
  await sql(
    `INSERT INTO booking.programs (company_code, code, ${columns})
     SELECT company_code, code || '-' || nth, ${columns} FROM booking.programs, generate_series(2, ${times}) AS nth
      WHERE company_code = '${hog}'`,
  );
  rmSync(join(storeDirectory, "tenants", hog), { recursive: true });
  await sql(`NOTIFY partner_source_changed, '${hog}'`);
  return async () => {};
}

async function slowView({ hog, sql }: World): Promise<() => Promise<unknown>> {
  const definition = await viewOf(sql, "programs");
  await sql(
    `CREATE OR REPLACE VIEW partner_source.programs AS SELECT * FROM (${definition}) AS others WHERE tenant_id <> '${hog}'
      UNION ALL SELECT * FROM (${definition}) AS own WHERE tenant_id = '${hog}' AND pg_sleep(120) IS NOT NULL`,
  );
  // Whoever changes the view again waits for the reading, and everybody for that.
  return async () => {};
}

async function viewOf(sql: World["sql"], name: string): Promise<string> {
  const rows = await sql(`SELECT pg_get_viewdef('partner_source.${name}'::regclass) AS definition`);
  return (rows as readonly { definition: string }[])[0]?.definition.replace(/;\s*$/, "") ?? "";
}

function startWatch(): ChildProcess {
  const args = [cliPath, "snapshot", "watch", "--interval", `${intervalSeconds}`];
  return spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "inherit"] });
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "close");
  child.kill("SIGTERM");
  await ended;
}

/** The waits of the watched tenant, in ms. */
interface Seen {
  readonly told: number[];
  readonly untold: number[];
  confirmed: number;
}

/** Changes a program again and again, each third time without a word. */
async function seenFor(ms: number, tenant: string, client: pg.Client): Promise<Seen> {
  const seen: Seen = { told: [], untold: [], confirmed: 0 };
  const pointer = join(storeDirectory, "tenants", tenant, "current.json");
  const endMs = performance.now() + ms;
  const ages = setInterval(async () => {
    const { tenants } = JSON.parse(await contentOf(join(storeDirectory, "runs", "confirmed.json")));
    seen.confirmed = Math.max(seen.confirmed, Date.now() - Date.parse(tenants[tenant]?.confirmedAt));
  }, 500);
  for (let at = 0; performance.now() < endMs; at += 1) {
    const isTold = at % 3 !== 2;
    const before = await contentOf(pointer);
    await client.query(`SET session_replication_role = ${isTold ? "origin" : "replica"}`);
    await client.query(
      `UPDATE booking.programs SET capacity = ${1000 + at} WHERE (company_code, code) =
        (SELECT company_code, code FROM booking.programs WHERE company_code = '${tenant}' AND state = 'active' ORDER BY code LIMIT 1)`,
    );
    const beganMs = performance.now();
    while ((await contentOf(pointer)) === before) {
      if (performance.now() - beganMs > 120_000) throw new Error("waited for two minutes");
      await delay(5);
    }
    (isTold ? seen.told : seen.untold).push(performance.now() - beganMs);
    await delay(500 + Math.random() * 500);
  }
  clearInterval(ages);
  return seen;
}

/** Empty while the file is missing. */
async function contentOf(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}

async function run(attack: Attack, databaseUrl: string): Promise<Row> {
  rmSync(storeDirectory, { recursive: true, force: true });
  // A reading that was given up goes on in the database.
  await queried(
    databaseUrl,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name <> ''",
  );
  for (const schema of ["partner_source", "booking", "public"]) {
    await queried(databaseUrl, `DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  }
  await queried(databaseUrl, "CREATE SCHEMA public");
  const [calm, hog] = await seedTenants(env, databaseUrl, attack.sizes);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const watch = startWatch();
  try {
    const tenant = calm?.tenantId ?? "";
    while (!/"runsOfAll":\s*\[\s*\{/.test(await contentOf(join(storeDirectory, "runs", "last.json")))) {
      await delay(100);
    }
    const before = await seenFor(15_000, tenant, client);
    const sql = (text: string): Promise<unknown> => queried(databaseUrl, text);
    const end = await attack.begin({ databaseUrl, hog: hog?.tenantId ?? "", sql });
    const during = await seenFor(attackMs, tenant, client);
    await end();
    return row(attack, before, during);
  } finally {
    await client.end();
    await stop(watch);
  }
}

function row({ title, isOfAll }: Attack, before: Seen, during: Seen): Row {
  const worst = (ms: readonly number[]): number => Math.round(Math.max(...ms));
  const holds =
    worst(during.told) <= limits.toldMs &&
    worst(during.untold) <= limits.untoldMs &&
    during.confirmed <= limits.confirmedMs;
  return {
    case: title,
    "told ms, before": worst(before.told),
    "told ms, during": worst(during.told),
    "untold ms, before": worst(before.untold),
    "untold ms, during": worst(during.untold),
    "confirmed ms ago, before": before.confirmed,
    "confirmed ms ago, during": during.confirmed,
    holds: isOfAll === true ? "-" : String(holds),
  };
}

const rows: Row[] = [];
await withEmbeddedPostgres(folder, async (databaseUrl) => {
  env.DATABASE_URL = databaseUrl;
  for (const attack of attacks.filter(({ title }) => title.includes(values.only))) {
    rows.push(await run(attack, databaseUrl));
    console.log(JSON.stringify(rows.at(-1)));
  }
});
reportBench("rounds", rows);
process.exitCode = rows.some(({ holds }) => holds === "false") ? 1 : 0;
