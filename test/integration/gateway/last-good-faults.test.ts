import { renameSync, writeFileSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Clocks } from "../../../gateway/clocks.ts";
import { lastGoodFolder } from "../../../gateway/known/mirror-folder.ts";
import { eventually } from "../../support/gateway-client.ts";
import { unavailable } from "../../support/gateway-faulty-store.ts";
import type { GatewayFixture } from "../../support/gateway-fixture.ts";
import { runGateway, startGatewayProcess } from "../../support/gateway-process.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { type IssuedToken, issueToken } from "../../support/gateway-tokens.ts";
import {
  copiesBelow,
  filesBelow,
  type KeptCopy,
  openLastGoodDesk,
  waitForCopy,
} from "../../support/last-good-stage.ts";
import { forEachTest } from "../../support/lasting.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
/** Where no registry is to be had. */
const inVain = { registryMs: 250 };
const desk = forEachTest(openLastGoodDesk);

beforeEach(async () => {
  await desk.tokens.write([acme]);
});

/** The process' clocks, the one that can be set by `unixMs`, after a restart that took `downMs`. */
function shifted(unixMs: number, downMs: number): Clocks {
  return { monotonicMs: () => performance.now() + downMs, unixMs: () => Date.now() + unixMs + downMs };
}

const serve = (gateway: GatewayFixture) => desk.serve(gateway, acme.plaintext);
const statuses = async (gateway: GatewayFixture): Promise<readonly number[]> =>
  (await serve(gateway)).map(({ status }) => status);

/** A gateway that served, ended; the store is away from now on. */
async function served(minBytes = 0, env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  await publishSnapshot(desk.store, "acme", { programIds: ["p1"], generation: 5, minBytes });
  const gateway = await desk.start({ env });
  const answers = await serve(gateway);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await waitForCopy(desk.folder, { generation: 5, revision: 1, files: 5 });
  await gateway.gateway.stop();
  desk.seen.breakKeys(/./, unavailable);
  return answers.map(({ text }) => text);
}

test("W76: the bound counts from the last confirmation, by the clock on the wall", async () => {
  await served();
  const inTime = await desk.start({ clocks: shifted(0, 800_000) });
  expect(await statuses(inTime)).toEqual([200, 200, 200]);
  await inTime.gateway.stop();
  // What ran in the meantime confirmed nothing: the age goes on.
  const tooLate = await desk.start({ clocks: shifted(0, 1_000_000), waits: inVain });
  expect(await statuses(tooLate)).toEqual([500, 500, 500]);
});

test("W76, W79: a clock that was set back makes the copy too old, for ever; its generation counts all the same", async () => {
  await served();
  const before = await desk.start({ clocks: shifted(-60_000, 0), waits: inVain });
  expect(await statuses(before)).toEqual([500, 500, 500]);
  expect(before.logText()).toContain("the clock is behind");
  await before.gateway.stop();
  const again = await desk.start({ waits: inVain });
  expect(await statuses(again)).toEqual([500, 500, 500]);
  desk.seen.mend();
  await publishSnapshot(desk.store, "acme", { programIds: ["p1"], generation: 4 });
  await eventually(
    () => serve(again),
    () => again.logText().includes("went back from generation 5"),
  );
});

test("W77: whatever is torn in any file, or damaged in a manifest or body, only right bytes are served", async () => {
  const right = await served();
  const files = await filesBelow(desk.folder);
  const copies = [...(await copiesBelow(desk.folder)), join(desk.folder, "tenants/acme/current.json")];
  expect(copies.length).toBe(6);
  for (const path of copies) {
    const whole = await readFile(path);
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(flipped.length >> 1) ^ 1, flipped.length >> 1);
    const damages: Readonly<Record<string, () => Promise<void>>> = {
      ...(path.includes("/snapshots/") ? { flipped: () => writeFile(path, flipped) } : {}),
      cut: () => truncate(path, whole.length - 1),
      empty: () => truncate(path, 0),
      foreign: () => writeFile(path, '{"data":[]}'),
    };
    for (const [name, damage] of Object.entries(damages)) {
      await damage();
      const gateway = await desk.start({ waits: inVain });
      const answers = await serve(gateway);
      for (const [at, { status, text }] of answers.entries()) {
        expect([200, 500], `${name} ${path}`).toContain(status);
        if (status === 200) expect(text).toBe(right[at]);
      }
      expect(
        answers.map(({ status }) => status),
        `${name} ${path}`,
      ).toContain(500);
      await gateway.gateway.stop();
      // The gateway has written a state of its own: only what was there is to be there again.
      for (const file of await filesBelow(desk.folder)) if (!files.includes(file)) await rm(file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, whole);
    }
  }
});

test("W76: bodies that are streamed are kept, too", async () => {
  const env = { CACHE_MAX_MB: "1" };
  const right = await served(200_000, env);
  expect((await serve(await desk.start({ env }))).map(({ text }) => text)).toEqual(right);
});

test("W85: a folder that takes nothing is a warning and a count, and no request hears of it", async () => {
  await publishSnapshot(desk.store, "acme", { programIds: ["p1"] });
  // Below a file nobody can write, root included.
  await writeFile(join(desk.root, "file"), "");
  const gateway = await desk.start({ lastGoodFolder: join(desk.root, "file", "none") });
  expect(await statuses(gateway)).toEqual([200, 200, 200]);
  await expect.poll(() => gateway.metric("gateway_last_good_write_failures_total")).toBeGreaterThan(0);
  expect(gateway.log.filter(({ msg }) => /could not be written/.test(String(msg)))).toHaveLength(1);
});

test("W87: at the start a folder that is open to others is closed, and one that is a link is refused", async () => {
  const { folder, root } = desk;
  await chmod(folder, 0o777);
  expect(await lastGoodFolder(join(root, "kept"), "test")).toBe(folder);
  expect((await lstat(folder)).mode & 0o777).toBe(0o700);
  await rename(folder, join(root, "outside"));
  await symlink(join(root, "outside"), folder);
  await expect(lastGoodFolder(join(root, "kept"), "test")).rejects.toThrow("is a link");
});

test("W88: a LAST_GOOD_DIR that cannot be written to is a wrong setting", async () => {
  const file = join(desk.root, "file");
  await writeFile(file, "");
  for (const args of [["--check-config"], []]) {
    const { status, stderr } = await runGateway(args, { LAST_GOOD_DIR: file });
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(`LAST_GOOD_DIR: ${file} cannot be written to`),
    ]);
  }
});

test("W88: with a LAST_GOOD_DIR that hangs a gateway starts and says so, and --check-config ends with 2", async () => {
  const hanging = join(desk.root, "hanging.mjs");
  const touched = join(desk.root, "touched");
  await writeFile(
    hanging,
    `import fs from "node:fs";
     import { syncBuiltinESMExports } from "node:module";
     fs.promises.mkdir = () => (fs.appendFileSync(${JSON.stringify(touched)}, "mkdir "), new Promise(() => {}));
     syncBuiltinESMExports();`,
  );
  const env = { LAST_GOOD_DIR: join(desk.root, "hung"), STORE_URL: `file:${desk.root}/store` };
  const hung = { ...env, NODE_OPTIONS: `--import=${hanging}` };
  const checked = runGateway(["--check-config"], hung);
  const gateway = await startGatewayProcess(hung);
  try {
    expect(gateway.output()).toContain("does not answer within 5000 ms");
    expect((await fetch(`${gateway.api}/v1/programs`)).status).toBe(401);
  } finally {
    gateway.signal("SIGTERM");
  }
  expect(await gateway.ended).toBe(0);
  const { status, stderr } = await checked;
  expect([status, stderr]).toEqual([2, expect.stringContaining("does not answer within 5000 ms")]);
  // Once by each of the two processes.
  expect(await readFile(touched, "utf8")).toBe("mkdir mkdir ");
});

describe("W85, W87: the copy beside a gateway that runs, and in its folder what is not its own", () => {
  const late = issueToken("acme", { rateLimit: 1_000_000 });
  /** Registry, manifest, both lists and a detail. */
  const first = { generation: 5, revision: 1, files: 5 };

  beforeEach(async () => {
    await publishSnapshot(desk.store, "acme", { programIds: ["p1"], generation: 5 });
  });

  const start = (): Promise<GatewayFixture> => desk.start({ waits: { beatMs: 200 } });

  async function serve(gateway: GatewayFixture, token = acme): Promise<readonly string[]> {
    const answers = await desk.serve(gateway, token.plaintext);
    return answers.map(({ status, text }) => `${status} ${text}`);
  }

  /** Served from the copy alone, by a gateway that starts while the store is away. */
  async function servedFromCopy(token = acme): Promise<readonly string[]> {
    desk.seen.breakKeys(/./, unavailable);
    const gateway = await start();
    const answers = await serve(gateway, token);
    await gateway.gateway.stop();
    desk.seen.mend();
    return answers;
  }

  /** The copies of registry, manifests and bodies. */
  const content = (): Promise<readonly string[]> => copiesBelow(desk.folder);

  /** A gateway whose copy is whole, what it answered, and the copy's files. */
  async function copied(): Promise<readonly [GatewayFixture, readonly string[], readonly string[]]> {
    const gateway = await start();
    const right = await serve(gateway);
    await waitForCopy(desk.folder, first);
    return [gateway, right, await content()];
  }

  function failures(gateway: GatewayFixture): number {
    return gateway.log.filter(({ msg }) => /could not be written/.test(String(msg))).length;
  }

  /**
   * Asks until registry, pointer and manifest are kept: the gateway looks at a pointer when somebody asks for
   * it.
   */
  async function waitForDocuments(
    gateway: GatewayFixture,
    token: IssuedToken,
    kept: KeptCopy,
  ): Promise<void> {
    let isOver = false;
    const waiting = waitForCopy(desk.folder, kept).finally(() => (isOver = true));
    while (!isOver) await serve(gateway, token);
    await waiting;
  }

  test("W85: what changed while nothing could be written is there as soon as something can", async () => {
    const [gateway] = await copied();
    renameSync(desk.folder, join(desk.root, "was"));
    writeFileSync(desk.folder, "");
    await desk.tokens.write([acme, late]);
    await publishSnapshot(desk.store, "acme", { programIds: ["p1"], generation: 6, mark: "newer" });
    await eventually(
      () => serve(gateway, late),
      (answers) => answers.every((answer) => answer.startsWith("200") && answer.includes("newer")),
    );
    await expect.poll(() => failures(gateway)).toBeGreaterThan(0);
    await rm(desk.folder);
    await waitForDocuments(gateway, late, { generation: 6, revision: 2, files: 2 });
    await gateway.gateway.stop();
    expect(gateway.logText()).toContain("copy is written again");
  });

  test("W87: what is no file of the gateway's own in the folder takes nothing away from the rest", async () => {
    const [gateway, right] = await copied();
    await gateway.gateway.stop();
    await mkdir(join(desk.folder, "states"));
    await symlink("nowhere", join(desk.folder, "auth", "link"));
    await writeFile(join(desk.folder, "tenants", "stray"), "");
    expect(await servedFromCopy()).toEqual(right);
    // A folder of an earlier version has other names.
    expect(await readdir(desk.folder)).not.toContain("states");
  });

  test("W87: with STORE_ID, the copy of another store counts for nothing", async () => {
    const [gateway] = await copied();
    await expect.poll(() => readdir(desk.folder)).toContain("store.json");
    await gateway.gateway.stop();
    desk.seen.breakKeys(/./, unavailable);
    const other = await desk.start({
      waits: { registryMs: 250 },
      env: { STORE_ID: "store_0000000000000000" },
    });
    for (const answer of await serve(other)) expect(answer.slice(0, 3)).toBe("500");
    expect(await content()).toEqual([]);
  });

  test("W87: a link in the place of a file counts as missing", async () => {
    const [gateway, right, names] = await copied();
    await gateway.gateway.stop();
    await mkdir(join(desk.root, "elsewhere"));
    for (const [at, path] of [...names, join(desk.folder, "tenants/acme/current.json")].entries()) {
      await rename(path, join(desk.root, "elsewhere", `${at}`));
      await symlink(join(desk.root, "elsewhere", `${at}`), path);
    }
    for (const answer of await servedFromCopy()) expect(answer.slice(0, 3)).toBe("500");
    expect(await serve(await start())).toEqual(right);
  });
});
