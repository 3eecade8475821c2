import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  startEmbeddedPostgres,
  withEmbeddedPostgres,
} from "../../../cli/database/start-embedded-postgres.ts";

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const asNobody = { uid: nobody, gid: nobody };
/** Whether that account can run the Node.js and the program of this run: not below /root. */
const canRunAsNobody =
  isRoot && spawnSync(process.execPath, [resolve("dist/cli/main.js"), "--version"], asNobody).status === 0;

/** Each of these makes a cluster of its own, or starts a server over and over. */
let dataDir: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  // pg_ctl starts a shell, which must not read the path.
  dataDir = await mkdtemp(join(tmpdir(), `embedded postgres "$(exit 1)' `));
  await chmod(dataDir, 0o755);
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  const pid = await serverPid();
  if (pid !== undefined && isAlive(pid)) process.kill(pid, "SIGINT");
  // Until then it writes into the directory. One that a test killed leaves its lock file.
  await serverEnd((pid) => !isAlive(pid));
  await rm(dataDir, { recursive: true, force: true });
});

/** Another process that uses the server: from the built program, since plain Node.js runs no TypeScript. */
async function startUser(account: object = {}): Promise<{ url: string; process: ChildProcess }> {
  const start = pathToFileURL(resolve("dist/cli/database/start-embedded-postgres.js")).href;
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(start)});
    const server = await startEmbeddedPostgres(${JSON.stringify(dataDir)});
    console.log(server.url);
    process.stdin.once("data", async () => { await server.stop(); process.exit(0); });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["pipe", "pipe", "inherit"],
    ...account,
  });
  children.push(child);
  const [url] = await once(createInterface(child.stdout), "line");
  return { url: String(url), process: child };
}

async function query(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: "array" });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

/**
 * The process that holds the cluster; `undefined` when none does, since a server that ends removes its lock
 * file.
 */
async function serverPid(): Promise<number | undefined> {
  const lockFile = await readFile(join(dataDir, "postgres/cluster/postmaster.pid"), "utf8").catch(() => "");
  return lockFile === "" ? undefined : Number.parseInt(lockFile, 10);
}

async function serverEnd(isGone = (_pid: number) => false): Promise<void> {
  for (let pid = await serverPid(); pid !== undefined && !isGone(pid); pid = await serverPid()) {
    await delay(10);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("startEmbeddedPostgres", () => {
  test("stores UTF-8, sorts by code point, lives in UTC and is closed to other users of the machine", async () => {
    await withEmbeddedPostgres(dataDir, async (url) => {
      expect(await query(url, "SHOW server_encoding")).toBe("UTF8");
      expect(await query(url, "SHOW timezone")).toBe("UTC");
      const sorted = "SELECT string_agg(x, '' ORDER BY x) FROM unnest('{a,B,ä,Z}'::text[]) AS x";
      expect(await query(url, sorted)).toBe("BZaä");

      expect(await query(url, "SHOW listen_addresses")).toBe("127.0.0.1");
      const stranger = new URL(url);
      stranger.password = "guess";
      await expect(query(stranger.href, "SELECT 1")).rejects.toMatchObject({ code: "28P01" });
      expect((await stat(join(dataDir, "postgres/password"))).mode & 0o777).toBe(0o600);
      expect((await stat(join(dataDir, "postgres/cluster"))).mode & 0o777).toBe(0o700);
    });
  });

  test("a second process uses the server of the first, and keeps it when the first leaves", async () => {
    const first = await startUser();
    const second = await startUser();
    const third = await startEmbeddedPostgres(dataDir);
    expect([second.url, third.url]).toEqual([first.url, first.url]);

    first.process.stdin?.write("stop");
    await once(first.process, "exit");
    expect(await query(third.url, "SELECT 1")).toBe(1);
    second.process.kill("SIGKILL");
    await once(second.process, "exit");
    expect(await query(third.url, "SELECT 1")).toBe(1);
    await third.stop();
    await third.stop();
    await serverEnd();
  });

  test("several that start at once over an empty directory share one server", async () => {
    const own = [startEmbeddedPostgres(dataDir), startEmbeddedPostgres(dataDir)];
    const users = await Promise.all([startUser(), startUser(), ...own]);
    expect(new Set(users.map(({ url }) => url)).size).toBe(1);
    const files = (await readdir(join(dataDir, "postgres"))).sort();
    expect([files, await readdir(dataDir)]).toEqual([["cluster", "password", "server.log"], ["postgres"]]);
    for (const server of await Promise.all(own)) await server.stop();
  });
});

describe.runIf(isRoot)("the embedded PostgreSQL of root", () => {
  test("P181: only PostgreSQL's own folder is the server's account's, and that account can put nothing beside it", async () => {
    await withEmbeddedPostgres(dataDir, async (url) => {
      expect(await query(url, "SHOW data_directory")).toBe(join(dataDir, "postgres/cluster"));
      const directory = join(dataDir, "postgres");
      const found = await Promise.all(
        ["", "cluster", "password", "server.log"].map(async (name) => {
          const { uid, mode } = await lstat(join(directory, name));
          return [name, uid, (mode & 0o777).toString(8)];
        }),
      );
      expect(found).toEqual([
        ["", 0, "711"],
        ["cluster", nobody, "700"],
        ["password", 0, "600"],
        ["server.log", 0, "600"],
      ]);
      const plant = spawnSync("ln", ["-sf", "/etc/shadow", join(directory, "password")], asNobody);
      expect(plant.status).not.toBe(0);
      // A second user of the server gets its proof all the same.
      const second = await startEmbeddedPostgres(dataDir);
      expect(second.url).toBe(url);
      await second.stop();
      expect((await readdir(directory)).sort()).toEqual(["cluster", "password", "server.log"]);
    });
  });

  test("P181: a folder that another user made is refused, and a link that is planted in it leads nowhere", async () => {
    const secret = join(dataDir, "root-only");
    await writeFile(secret, "of root alone\n", { mode: 0o600 });
    const directory = join(dataDir, "postgres");
    await mkdir(directory);
    for (const name of ["server.log", "password"]) await symlink(secret, join(directory, name));
    await mkdir(join(directory, "cluster"));
    await chown(directory, nobody, nobody);
    await expect(startEmbeddedPostgres(dataDir)).rejects.toMatchObject({
      code: "source_unavailable",
      message: expect.stringContaining("belongs to another user"),
    });
    expect(await readFile(secret, "utf8")).toBe("of root alone\n");
    const { uid, mode } = await stat(secret);
    expect([uid, mode & 0o777]).toEqual([0, 0o600]);
  });

  test("P181: a link in the place of the folder is refused", async () => {
    const target = join(dataDir, "target");
    await mkdir(target);
    await symlink(target, join(dataDir, "postgres"));
    await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow("is no folder");
    expect(await readdir(target)).toEqual([]);
  });

  describe("P181: the data lie elsewhere", () => {
    /** Where root keeps its data when it cannot do so in `DATA_DIR`. */
    const elsewhere = /^\/var\/tmp\/partner-programs-0\/[0-9a-f]{16}\/postgres\/cluster$/;
    test.each([
      ["the server's account can't enter DATA_DIR", () => chmod(dataDir, 0o700)],
      ["everybody can write to DATA_DIR", () => chmod(dataDir, 0o777)],
      ["DATA_DIR is another user's", () => chown(dataDir, nobody, nobody)],
    ])("where %s", async (_, prepare) => {
      await prepare();
      const directory = String(
        await withEmbeddedPostgres(dataDir, (url) => query(url, "SHOW data_directory")),
      );
      expect(directory).toMatch(elsewhere);
      await rm(join(directory, "../.."), { recursive: true });
      expect(await readdir(dataDir)).toEqual([]);
    });
  });

  test.runIf(canRunAsNobody)(
    "P181: an ordinary user's server is that user's; root does not join it",
    async () => {
      await chown(dataDir, nobody, nobody);
      const { url } = await startUser(asNobody);
      expect(await query(url, "SHOW data_directory")).toBe(join(dataDir, "postgres/cluster"));
      await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow("Run this as that user");
    },
  );
});
