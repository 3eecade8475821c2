// Takes the pictures of `inspect` in docs/screenshots, from sample data in which a few things went wrong.
// Needs Chromium (`TEST_CHROMIUM`, else /usr/bin/chromium-headless-shell). Look at them before you commit
// them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { type Browser, chromium } from "playwright-core";
import { withEmbeddedPostgres } from "../cli/database/start-embedded-postgres.ts";
import { cliPath, runCli } from "../cli/demo/programs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: "light" | "dark";
}

const wide = { width: 1080, height: 720, colorScheme: "light" } as const;
const phone = { width: 360, height: 900, colorScheme: "light" } as const;
const atlas = "/tenants/atlas-journeys";
const pictures: readonly Picture[] = [
  { ...wide, name: "health", path: "/", height: 900 },
  { ...wide, name: "tenant", path: "/tenants/thalassa-odyssey", height: 900 },
  { ...wide, name: "program", path: `${atlas}/programs/ATLAS-2027-0001`, height: 900 },
  { ...wide, name: "versions-dark", path: `${atlas}/programs/ATLAS-2027-0021#versions`, colorScheme: "dark" },
  { ...wide, name: "find", path: "/find?q=winter" },
  { ...wide, name: "request", path: "/requests/req-7f3a", height: 900 },
  { ...phone, name: "health-360", path: "/" },
  { ...phone, name: "tenant-360", path: "/tenants/kinneret-tours" },
  { ...phone, name: "program-360", path: `${atlas}/programs/ATLAS-2027-0001` },
];

const directory = temporaryFolder("screenshots");
const store = join(directory, "store");
await withEmbeddedPostgres(directory, takeAll);

async function takeAll(databaseUrl: string): Promise<void> {
  const { PATH } = process.env;
  const env = { PATH, DATABASE_URL: databaseUrl, STORE_URL: `file:${store}`, LOG_LEVEL: "silent" };
  await publishSamples(databaseUrl, env);
  const options = ["--port", "0", "--time-zone", "UTC", "--log", await writeLog()];
  const inspect = spawn(process.execPath, [cliPath, "inspect", ...options], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const browser = await chromium.launch({
    executablePath: process.env.TEST_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
  });
  try {
    const [line] = await once(createInterface({ input: inspect.stdout }), "line");
    const [url = ""] = /http:\S+/.exec(line) ?? [];
    for (const picture of pictures) await take(browser, url, picture);
  } finally {
    await browser.close();
    inspect.kill("SIGTERM");
  }
}

/** Makes five companies: one cancelled a program, one had a failed build, and one is held. */
async function publishSamples(databaseUrl: string, env: NodeJS.ProcessEnv): Promise<void> {
  await runCli(["source", "init"], env);
  await runCli(["source", "seed", "--date", "2027-01-18"], env);
  await runCli(["snapshot", "build"], env);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`
    UPDATE booking.programs SET state = 'cancelled' WHERE code = 'ATLAS-2027-0001';
    UPDATE booking.programs SET name = 'Cappadocia in Winter Light' WHERE code = 'ATLAS-2027-0019';
    UPDATE booking.programs SET departure_date = departure_date + 7, return_date = return_date + 7
     WHERE code = 'ATLAS-2027-0021';
    UPDATE booking.programs SET name = ' ' WHERE code = 'KIN-2027-0001';
    UPDATE booking.programs SET name = name || ' II' WHERE code = 'THAL-2027-0001'`);
  await client.end();
  await runCli(["snapshot", "build"], env).catch((error: unknown) => console.log(String(error)));
  await runCli(["snapshot", "rollback", "--tenant", "thalassa-odyssey"], env);
}

/** The log of a gateway with a partner who asks for a program that is gone. Returns its name. */
async function writeLog(): Promise<string> {
  const name = join(directory, "gateway.log");
  const pointer = await readFile(join(store, "tenants/atlas-journeys/current.json"), "utf8");
  const { snapshotId } = JSON.parse(pointer);
  const line = {
    level: "info",
    time: new Date().toISOString(),
    requestId: "req-7f3a",
    tenantId: "atlas-journeys",
    route: "detail",
    programId: "ATLAS-2027-0001",
    method: "GET",
    status: 404,
    durationMs: 2,
    bytes: 120,
    snapshotId,
    causeCode: "unknown_program",
    msg: "request",
  };
  await writeFile(name, `${JSON.stringify(line)}\n`);
  return name;
}

async function take(browser: Browser, url: string, picture: Picture): Promise<void> {
  const { name, path, width, height, colorScheme } = picture;
  const context = await browser.newContext({ colorScheme, viewport: { width, height } });
  const page = await context.newPage();
  await page.goto(url);
  await page.goto(new URL(path, url).href);
  await page.screenshot({ path: `docs/screenshots/${name}.png` });
  await context.close();
}
