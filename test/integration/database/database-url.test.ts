import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { withSourcePool } from "../../../cli/database/connect.ts";
import { type CommandResult, runCommand } from "../../support/command-line.ts";
import { patience } from "../../support/patience.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";
import { useWorkbench } from "../../support/workbench.ts";

const bench = useWorkbench();
let folder: string;
beforeEach(async () => {
  await bench.reset();
  folder = await mkdtemp(join(tmpdir(), "db-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("a folder of sockets in place of a host", () => {
  let sockets: Server;
  beforeEach(async () => {
    await bench.source.insert("tenants", { tenant_id: "acme" });
    await bench.insertPrograms("acme", "one");
    const { hostname, port } = new URL(bench.database.url);
    sockets = createServer((near) => {
      const far = connect({ host: hostname, port: Number(port) });
      near.on("error", () => far.destroy()).pipe(far);
      far.on("error", () => near.destroy()).pipe(near);
    });
    await new Promise<void>((resolve) => sockets.listen(join(folder, ".s.PGSQL.5432"), resolve));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    sockets.close();
  });

  test.each([
    ["a user, no host", "postgresql://USER@/DB?host=FOLDER"],
    ["in the place of the host", "postgresql://USER:PASSWORD@ENCODED/DB"],
    ["all in parameters", "postgresql:///DB?host=FOLDER&user=USER&password=PASSWORD"],
    ["bare, with the user of PGUSER", "FOLDER DB"],
  ])("%s", async (_, form) => {
    const { username, password, pathname } = new URL(bench.database.url);
    const words = { USER: username, PASSWORD: password || "any", DB: pathname.slice(1), FOLDER: folder };
    const url = Object.entries({ ...words, ENCODED: encodeURIComponent(folder) }).reduce(
      (text, [word, value]) => text.replace(word, value),
      form,
    );
    vi.stubEnv("PGUSER", username);
    // The embedded server wants a password also where the form has none.
    vi.stubEnv("PGPASSWORD", password);
    const { status, stderr } = await runCommand(["source", "check"], { env: { DATABASE_URL: url } });
    expect([status, stderr]).toEqual([0, expect.any(String)]);
  });
});

test("P100: a running watch takes up an address that was changed in its file", async () => {
  await bench.source.insert("tenants", { tenant_id: "acme" });
  await bench.insertPrograms("acme", "one");
  const before = new URL(await bench.database.createReader());
  const after = new URL(before);
  after.username = `${before.username}_2`;
  const file = join(folder, "url");
  await writeFile(file, before.href, { mode: 0o600 });
  const stop = new AbortController();
  const watch = bench.run(["snapshot", "watch", "--interval", "1"], {
    env: { DATABASE_URL: before.href, DATABASE_URL_FILE: file },
    signal: stop.signal,
  });
  const serves = (count: number): Promise<void> =>
    vi.waitFor(async () => expect((await bench.published("acme")).list.meta.count).toBe(count), patience);
  await serves(1);
  await bench.database.query(
    `CREATE ROLE ${after.username} LOGIN PASSWORD 'reader' IN ROLE ${before.username}`,
  );
  await bench.database.query(`ALTER ROLE ${before.username} NOLOGIN`);
  await writeFile(file, after.href);
  await bench.database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", [
    before.username,
  ]);
  await bench.insertPrograms("acme", "two");
  await serves(2);
  stop.abort();
  await watch;
  await bench.database.query(`DROP ROLE ${after.username}`);
});

test("a connection of the pool that went silent fails its next reading within half a minute, and no further one", async () => {
  const proxy = await startTcpProxy(bench.database.url);
  const { signal } = new AbortController();
  await withSourcePool({ databaseUrl: proxy.url, connections: 1, signal }, async (pool) => {
    const one = (): Promise<unknown> => pool.withReading((client) => client.query("SELECT 1"));
    await one();
    proxy.silence();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const failed = expect(one()).rejects.toMatchObject({ code: "source_unavailable" });
    await vi.advanceTimersByTimeAsync(30_000);
    vi.useRealTimers();
    await failed;
    await one();
  });
  await proxy.refuse();
});

describe("P120: half an environment is refused, and nothing is written:", () => {
  const build = (env: Readonly<Record<string, string | undefined>>): Promise<CommandResult> =>
    runCommand(["snapshot", "build"], { env: { DATA_DIR: folder, ...env } });

  test.each([
    ["snapshot", "build"],
    ["snapshot", "watch"],
    ["source", "check"],
    ["source", "preview"],
    ["source", "init"],
    ["source", "seed"],
  ])("%s %s with a store and no database", async (...args) => {
    const env = { DATA_DIR: folder, STORE_URL: `file:${folder}/store` };
    const { status, stderr } = await runCommand(args, { env });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/DATABASE_URL is not set, though STORE_URL is/),
    ]);
    expect(await readdir(folder)).toEqual([]);
  });

  test("a build of a database into the store of a demo", async () => {
    await writeFile(join(folder, "demo.txt"), "");
    await mkdir(join(folder, "store"));
    const { status, stderr } = await build({ DATABASE_URL: bench.database.url });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/STORE_URL is not set.*belongs to a demo/s)]);
    expect(await readdir(join(folder, "store"))).toEqual([]);
    await bench.source.insert("tenants", { tenant_id: "acme" });
    await bench.insertPrograms("acme", "one");
    // A store that is named is meant, and a default one that no demo made is, too.
    expect(await build({ ...bench.env })).toMatchObject({ status: 0 });
    await rm(join(folder, "demo.txt"));
    expect(await build({ DATABASE_URL: bench.database.url })).toMatchObject({ status: 0 });
  });
});
