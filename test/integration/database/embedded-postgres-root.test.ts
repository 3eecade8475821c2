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
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  startEmbeddedPostgres,
  withEmbeddedPostgres,
} from "../../../cli/database/start-embedded-postgres.ts";

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
/** Whether that account can run the Node.js and the program of this run: not below /root. */
const canRunAsNobody =
  isRoot &&
  spawnSync(process.execPath, [resolve("dist/cli/main.js"), "--version"], { uid: nobody, gid: nobody })
    .status === 0;

let dataDir: string;
const children: ChildProcess[] = [];
/** Where root keeps its data when it cannot do so in `dataDir`. */
const elsewhere = /^\/var\/tmp\/partner-programs-0\/[0-9a-f]{16}\/postgres\/cluster$/;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "embedded-postgres-root-"));
  await chmod(dataDir, 0o755);
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.stdin?.end("stop");
    await once(child, "exit");
  }
  await rm(dataDir, { recursive: true, force: true });
});

/** A process of `nobody` that uses the server, from the built program. */
async function startAsNobody(): Promise<string> {
  const start = resolve("dist/cli/database/start-embedded-postgres.js");
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(start)});
    const server = await startEmbeddedPostgres(${JSON.stringify(dataDir)});
    console.log(server.url);
    process.stdin.once("data", async () => { await server.stop(); process.exit(0); });`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["pipe", "pipe", "inherit"],
    uid: nobody,
    gid: nobody,
  });
  children.push(child);
  const [url] = await once(createInterface(child.stdout), "line");
  return String(url);
}

async function dataDirectory(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query("SHOW data_directory")).rows[0].data_directory;
  } finally {
    await client.end();
  }
}

describe.runIf(isRoot)("the embedded PostgreSQL of root", () => {
  test("P181: only PostgreSQL's own folder is the server's account's, and that account can put nothing beside it", async () => {
    await withEmbeddedPostgres(dataDir, async (url) => {
      expect(await dataDirectory(url)).toBe(join(dataDir, "postgres/cluster"));
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
      const plant = spawnSync("ln", ["-sf", "/etc/shadow", join(directory, "password")], {
        uid: nobody,
        gid: nobody,
      });
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
      message: expect.stringMatching(new RegExp(`${directory}, .* belongs to another user`)),
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
    test.each([
      ["the server's account can't enter DATA_DIR", () => chmod(dataDir, 0o700)],
      ["everybody can write to DATA_DIR", () => chmod(dataDir, 0o777)],
      ["DATA_DIR is another user's", () => chown(dataDir, nobody, nobody)],
    ])("where %s", async (_, prepare) => {
      await prepare();
      const directory = await withEmbeddedPostgres(dataDir, dataDirectory);
      expect(directory).toMatch(elsewhere);
      await rm(join(directory, "../.."), { recursive: true });
      expect(await readdir(dataDir)).toEqual([]);
    });
  });

  test.runIf(canRunAsNobody)(
    "P181: an ordinary user's server is that user's; root does not join it",
    async () => {
      await chown(dataDir, nobody, nobody);
      expect(await dataDirectory(await startAsNobody())).toBe(join(dataDir, "postgres/cluster"));
      await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow("Run this as that user");
    },
  );
});
