// Takes the pictures of `inspect` in docs/screenshots, from sample data in which a few things went wrong.
// Needs Chromium (`TEST_CHROMIUM`, else /usr/bin/chromium-headless-shell). Look at them before you commit them.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { type Browser, chromium } from "playwright-core";
import { withEmbeddedPostgres } from "../cli/database/start-embedded-postgres.ts";
import { createGatewayLog } from "../cli/operate/gateway-log/gateway-log.ts";
import { createAskedDatabase } from "../cli/support/facts/asked-database.ts";
import { createKeyGate } from "../cli/support/pages/access.ts";
import { createInspectServer } from "../cli/support/pages/inspect-server.ts";
import { createFileStore } from "../core/file-store/file-store.ts";
import { listen } from "../core/listen.ts";
import { createLogger } from "../core/logger.ts";
import { parseSettings } from "../core/setting-parser.ts";
import { cliSettings } from "../core/settings.ts";
import { createTerminal } from "./support-page/terminal.ts";
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
await withEmbeddedPostgres(directory, takeAll);

async function takeAll(databaseUrl: string): Promise<void> {
  const storeDirectory = join(directory, "store");
  const env = { DATABASE_URL: databaseUrl, STORE_URL: `file:${storeDirectory}`, LOG_LEVEL: "silent" };
  const now = await publishSamples(databaseUrl, env);
  const settings = parseSettings(cliSettings, env);
  if (!settings.ok) throw new Error(settings.faults.join("; "));
  const store = { ...createFileStore({ directory: storeDirectory }), address: "s3://travel-programs/" };
  const { signal } = new AbortController();
  const key = "screenshots";
  const inspection = {
    store,
    database: createAskedDatabase(settings.values),
    reader: () => ({ now, zone: "UTC" }),
    signal,
    log: createGatewayLog([{ name: await writeLog(storeDirectory), stdin: process.stdin }], signal),
  };
  const log = createLogger({ level: "silent", program: "screenshots", destination: process.stderr });
  const server = createInspectServer({ inspection, gate: createKeyGate(key), log });
  const { port } = new URL(await listen(server, { host: "127.0.0.1", port: 0, setting: "nothing" }));
  const browser = await chromium.launch({
    executablePath: process.env.TEST_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
  });
  try {
    for (const picture of pictures) await take(browser, `http://127.0.0.1:${port}/?key=${key}`, picture);
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
}

/** Makes five companies: one cancelled a program, one had a failed build, and one is held. Returns the time at the end. */
async function publishSamples(databaseUrl: string, env: Readonly<Record<string, string>>): Promise<Date> {
  const terminal = createTerminal(env);
  const command = async (text: string): Promise<void> => {
    const { shown } = await terminal.run(text.split(" "));
    console.log(`$ ${text}\n${shown}`);
  };
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  terminal.at("2027-01-18T06:00:00Z");
  await command("source init");
  await command("source seed");
  await command("snapshot build --concurrency 1");
  await client.query(`
    UPDATE booking.programs SET state = 'cancelled' WHERE code = 'ATLAS-2027-0001';
    UPDATE booking.programs SET name = 'Cappadocia in Winter Light' WHERE code = 'ATLAS-2027-0019';
    UPDATE booking.programs SET departure_date = departure_date + 7, return_date = return_date + 7
     WHERE code = 'ATLAS-2027-0021';
    UPDATE booking.programs SET name = ' ' WHERE code = 'KIN-2027-0001';
    UPDATE booking.programs SET name = name || ' II' WHERE code = 'THAL-2027-0001'`);
  await client.end();
  terminal.at("2027-01-20T08:30:00Z");
  await command("snapshot build --concurrency 1");
  terminal.at("2027-01-20T09:10:00Z");
  await command("snapshot rollback --tenant thalassa-odyssey");
  return new Date("2027-01-20T11:45:00Z");
}

/** The log of a gateway with a partner who asks for a program that is gone. Returns its name. */
async function writeLog(storeDirectory: string): Promise<string> {
  const name = join(directory, "gateway.log");
  const pointer = await readFile(join(storeDirectory, "tenants/atlas-journeys/current.json"), "utf8");
  const { snapshotId } = JSON.parse(pointer);
  const line = {
    level: "info",
    time: "2027-01-20T11:41:00.000Z",
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
