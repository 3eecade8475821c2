import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileStore } from "../../../core/file-store/file-store.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { Clocks, Waits } from "../../../gateway/clocks.ts";
import { lastGoodFolder } from "../../../gateway/mirror-folder.ts";
import { eventually } from "../../support/gateway-client.ts";
import { type FaultyStore, faultyStore, unavailable } from "../../support/gateway-faulty-store.ts";
import { type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { runGateway } from "../../support/gateway-process.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { createTokenFile, issueToken } from "../../support/gateway-tokens.ts";
import { ask, copiesBelow, filesBelow, waitForCopy } from "../../support/last-good-stage.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
const paths = ["/v1/programs", "/api/v1/partner/programs", "/v1/programs/p1"];
/** Where no registry is to be had. */
const inVain = { registryMs: 250 };
const running: GatewayFixture[] = [];
let root: string;
let folder: string;
let store: ObjectStore;
let seen: FaultyStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "last-good-test-"));
  folder = await lastGoodFolder(join(root, "kept"), "test");
  store = createFileStore({ directory: join(root, "store") });
  seen = faultyStore(store);
  await createTokenFile(store).write([acme]);
});
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.close();
  await store.close();
  await rm(root, { recursive: true, force: true });
});

async function start(
  env: Readonly<Record<string, string>> = {},
  clocks = shifted(0, 0),
  waits: Partial<Waits> = {},
): Promise<GatewayFixture> {
  const gateway = await startGateway({ env, clocks, waits, seen: () => seen, lastGoodFolder: folder });
  running.push(gateway);
  return gateway;
}

/** The process' clocks, the one that can be set by `unixMs`, after a restart that took `downMs`. */
function shifted(unixMs: number, downMs: number): Clocks {
  return {
    monotonicMs: () => performance.now() + downMs,
    unixMs: () => Date.now() + unixMs + downMs,
  };
}

async function serve(gateway: GatewayFixture): Promise<readonly { status: number; text: string }[]> {
  const answers = await Promise.all(paths.map((path) => ask(gateway.api, path, acme.plaintext)));
  return answers.map(({ status, body }) => ({ status, text: body.toString() }));
}

/** A gateway that served, ended; the store is away from now on. */
async function served(minBytes = 0, env: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  await publishSnapshot(store, "acme", { programIds: ["p1"], generation: 5, minBytes });
  const gateway = await start(env);
  const answers = await serve(gateway);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await waitForCopy(folder, { generation: 5, revision: 1, files: 5 });
  await gateway.gateway.stop();
  seen.breakKeys(/./, unavailable);
  return answers.map(({ text }) => text);
}

const statuses = (answers: readonly { status: number }[]): readonly number[] =>
  answers.map(({ status }) => status);

test("W78: the bound counts from the last confirmation, by the clock on the wall", async () => {
  await served();
  const inTime = await start({}, shifted(0, 800_000));
  expect(statuses(await serve(inTime))).toEqual([200, 200, 200]);
  await inTime.gateway.stop();
  // What ran in the meantime confirmed nothing: the age goes on.
  const tooLate = await start({}, shifted(0, 1_000_000), inVain);
  expect(statuses(await serve(tooLate))).toEqual([500, 500, 500]);
});

test("W78: a clock that was set back makes the copy too old, for ever; its generation counts all the same", async () => {
  await served();
  const before = await start({}, shifted(-60_000, 0), inVain);
  expect(statuses(await serve(before))).toEqual([500, 500, 500]);
  expect(before.logText()).toContain("the clock is behind");
  await before.gateway.stop();
  const again = await start({}, shifted(0, 0), inVain);
  expect(statuses(await serve(again))).toEqual([500, 500, 500]);
  seen.mend();
  await publishSnapshot(store, "acme", { programIds: ["p1"], generation: 4 });
  await eventually(
    () => serve(again),
    () => again.logText().includes("went back from generation 5"),
  );
});

test("W77: whatever is torn in any file, or damaged in a manifest or body, only right bytes are served", async () => {
  const right = await served();
  const files = await filesBelow(folder);
  const copies = [...(await copiesBelow(folder)), join(folder, "tenants/acme/current.json")];
  expect(copies.length).toBe(6);
  for (const path of copies) {
    const whole = await readFile(path);
    const hasDigest = path.includes("/snapshots/");
    for (const damage of ["cut", "empty", "foreign", ...(hasDigest ? ["flipped"] : [])]) {
      if (damage === "flipped") {
        const bytes = Buffer.from(whole);
        const at = Math.floor(bytes.length / 2);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        await writeFile(path, bytes);
      } else if (damage === "foreign") await writeFile(path, '{"data":[]}');
      else await truncate(path, damage === "cut" ? whole.length - 1 : 0);
      const gateway = await start({}, shifted(0, 0), inVain);
      const answers = await serve(gateway);
      for (const [at, { status, text }] of answers.entries()) {
        expect([200, 500], `${damage} ${path}`).toContain(status);
        if (status === 200) expect(text).toBe(right[at]);
      }
      expect(statuses(answers), `${damage} ${path}`).toContain(500);
      await gateway.gateway.stop();
      await restoreFiles(files, path, whole);
    }
  }

  /** The gateway has written a state of its own: only what was there is to be there again. */
  async function restoreFiles(names: readonly string[], path: string, whole: Buffer): Promise<void> {
    for (const name of await filesBelow(folder)) if (!names.includes(name)) await rm(name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, whole);
  }
});

test("W76: bodies that are streamed are kept, too", async () => {
  const right = await served(200_000, { CACHE_MAX_MB: "1" });
  const gateway = await start({ CACHE_MAX_MB: "1" });
  expect((await serve(gateway)).map(({ text }) => text)).toEqual(right);
});

test("W85: a folder that takes nothing is a warning and a count, and no request hears of it", async () => {
  await publishSnapshot(store, "acme", { programIds: ["p1"] });
  // Below a file nobody can write, root included.
  await writeFile(join(root, "file"), "");
  folder = join(root, "file", "none");
  const gateway = await start();
  expect(statuses(await serve(gateway))).toEqual([200, 200, 200]);
  await eventually(
    async () => (await fetch(`${gateway.admin}/metrics`)).text(),
    (text) => /^gateway_last_good_write_failures_total [1-9]/m.test(text),
  );
  const said = gateway.log.filter(({ msg }) => /could not be written/.test(String(msg)));
  expect(said).toHaveLength(1);
});

test("W100: at the start a folder that is open to others is closed, and one that is a link is refused", async () => {
  await chmod(folder, 0o777);
  expect(await lastGoodFolder(join(root, "kept"), "test")).toBe(folder);
  expect((await lstat(folder)).mode & 0o777).toBe(0o700);
  await rename(folder, join(root, "outside"));
  await symlink(join(root, "outside"), folder);
  await expect(lastGoodFolder(join(root, "kept"), "test")).rejects.toThrow("is a link");
});

test("W88: a LAST_GOOD_DIR that cannot be written to is a wrong setting", async () => {
  await writeFile(join(root, "file"), "");
  for (const args of [["--check-config"], []]) {
    const { status, stderr } = await runGateway(args, { LAST_GOOD_DIR: join(root, "file") });
    expect(status).toBe(2);
    expect(stderr).toContain(`LAST_GOOD_DIR: ${join(root, "file")} cannot be written to`);
  }
});
