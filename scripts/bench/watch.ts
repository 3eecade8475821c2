// `npm run bench:watch [-- --sizes 500,5000,50000] [--changes N] [--round-tenants N]`: how long after the
// commit of a change in the booking database, whose triggers notify, `snapshot watch` has published it, and a
// partner gets it from a gateway that looks every 200 ms. Tenants of several sizes with nothing else going
// on; then one of 500 programs while the first build of many such tenants is under way; and one of which many
// snapshots are kept.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { withEmbeddedPostgres } from "../../cli/database/start-embedded-postgres.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { measuredCli } from "./measured-run.ts";
import { benchOptions, median, type Row, reportBench } from "./report.ts";
import { detailPaths, startGateway, tokenHeaders } from "./servers.ts";

const values = benchOptions({ sizes: "500,5000,50000", changes: "15", "round-tenants": "200" });
const changes = Number(values.changes);
const folder = temporaryFolder("bench");
const cliPath = fileURLToPath(new URL("../../cli/main.js", import.meta.url));
const storeDirectory = join(folder, "store");
const storeUrl = `file:${storeDirectory}`;
const env: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  DATA_DIR: folder,
  STORE_URL: storeUrl,
  LOG_LEVEL: "silent",
};

await withEmbeddedPostgres(folder, async (databaseUrl) => {
  env.DATABASE_URL = databaseUrl;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await measuredCli(["source", "init"], env);
    const rows: Row[] = [];
    for (const size of values.sizes.split(",").map(Number)) {
      rows.push(await measure(client, `${size} programs, idle`, 1, size, true));
    }
    for (const kept of [15, 500]) {
      rows.push(await measure(client, `500 programs, ${kept} snapshots kept`, 1, 500, true, kept));
    }
    const tenants = Number(values["round-tenants"]);
    rows.push(
      await measure(client, `500 programs, during a first build of ${tenants} x 500`, tenants, 500, false),
    );
    reportBench("watch", rows);
  } finally {
    await client.end();
  }
});

/** Leaves a snapshot that changed one program, as far as a folder shows it. */
function keepSnapshot(tenantFolder: string, at: number): void {
  const folder = join(tenantFolder, "snapshots", `20200101T000000Z-${String(at).padStart(8, "0")}`);
  for (const file of ["v1/programs.json", "v1/programs/a.json", "api/v1/partner/programs.json"]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "{}");
  }
}

/** `isIdle`: the changes begin when all tenants are published, else as soon as the first one is. */
async function measure(
  client: pg.Client,
  title: string,
  tenants: number,
  programs: number,
  isIdle: boolean,
  kept = 0,
): Promise<Row> {
  rmSync(storeDirectory, { recursive: true, force: true });
  await measuredCli(["source", "seed", "--tenants", `${tenants}`, "--programs", `${programs}`], env);
  const watch = spawn(process.execPath, [cliPath, "snapshot", "watch", "--interval", "86400"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const watchEnded = once(watch, "close");
  let summaries = "";
  watch.stdout.setEncoding("utf8").on("data", (text: string) => {
    summaries += text;
  });
  try {
    const { rows } = await client.query<{ code: string }>("SELECT code FROM booking.companies ORDER BY code");
    const tenant = rows[0]?.code ?? "";
    const pointer = join(storeDirectory, "tenants", tenant, "current.json");
    while ((await contentOf(pointer)) === "" || (isIdle && summaries === "")) await delay(10);
    for (let at = 0; at < kept; at += 1) keepSnapshot(join(storeDirectory, "tenants", tenant), at);
    const published: number[] = [];
    const answered: number[] = [];
    const headers = await tokenHeaders(tenant, { STORE_URL: storeUrl });
    const gateway = await startGateway({ STORE_URL: storeUrl, SNAPSHOT_REFRESH_MS: "200" });
    try {
      const [path = ""] = await detailPaths(gateway.url, headers);
      const id = path.slice(path.lastIndexOf("/") + 1);
      for (let change = 0; change < changes; change += 1) {
        const total = 1000 + change;
        const before = await contentOf(pointer);
        await client.query("BEGIN");
        await client.query(
          "UPDATE booking.programs SET capacity = $3 WHERE company_code = $1 AND code = $2",
          [tenant, id, total],
        );
        const startedAt = performance.now();
        await client.query("COMMIT");
        await waitFor(async () => (await contentOf(pointer)) !== before);
        published.push(performance.now() - startedAt);
        await waitFor(async () => {
          const answer = await fetch(gateway.url + path, { headers });
          const { data } = (await answer.json()) as {
            readonly data: { readonly capacity: { readonly total: number } };
          };
          return data.capacity.total === total;
        });
        answered.push(performance.now() - startedAt);
        await delay(300 + Math.random() * 200);
      }
    } finally {
      await gateway.stop();
    }
    if (!isIdle && summaries.includes(`${tenants} published`))
      throw new Error("the round was over too early");
    return {
      case: title,
      changes,
      "published ms (median)": Math.round(median(published)),
      "published ms (worst)": Math.round(Math.max(...published)),
      "answered ms (median)": Math.round(median(answered)),
      "answered ms (worst)": Math.round(Math.max(...answered)),
    };
  } finally {
    watch.kill("SIGTERM");
    await watchEnded;
  }
}

/** Empty while the file is missing. */
async function contentOf(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}

async function waitFor(isDone: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  while (!(await isDone())) {
    if (performance.now() - startedAt > 60_000) throw new Error("waited for a minute");
    await delay(5);
  }
}
