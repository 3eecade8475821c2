import { randomUUID } from "node:crypto";
import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileStore } from "../../../core/file-store/file-store.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { lastGoodFolder } from "../../../gateway/mirror-folder.ts";
import { beginTestStore } from "../../support/begun-store.ts";
import { eventually } from "../../support/gateway-client.ts";
import { type FaultyStore, faultyStore, unavailable } from "../../support/gateway-faulty-store.ts";
import { type GatewayFixture, startGateway } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { createTokenFile, issueToken, type TokenFile } from "../../support/gateway-tokens.ts";
import { ask, copiesBelow, waitForCopy } from "../../support/last-good-stage.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
const late = issueToken("acme", { rateLimit: 1_000_000 });
const paths = ["/v1/programs", "/api/v1/partner/programs", "/v1/programs/p1"];
/** Registry, manifest, both lists and a detail. */
const first = { generation: 5, revision: 1, files: 5 };
const failed = /could not be written/;
const running: GatewayFixture[] = [];
let root: string;
let folder: string;
let store: ObjectStore;
let tokens: TokenFile;
let seen: FaultyStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "last-good-test-"));
  folder = await lastGoodFolder(join(root, "kept"), "test");
  store = createFileStore({ directory: join(root, "store") });
  seen = faultyStore(store);
  tokens = createTokenFile(store);
  await tokens.write([acme]);
  await publishSnapshot(store, "acme", { programIds: ["p1"], generation: 5 });
});
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.close();
  await store.close();
  await rm(root, { recursive: true, force: true });
});

async function start(): Promise<GatewayFixture> {
  const waits = { beatMs: 200 };
  const gateway = await startGateway({ seen: () => seen, lastGoodFolder: folder, waits });
  running.push(gateway);
  return gateway;
}

async function serve(gateway: GatewayFixture, token = acme): Promise<readonly string[]> {
  const answers = await Promise.all(paths.map((path) => ask(gateway.api, path, token.plaintext)));
  return answers.map(({ status, body }) => `${status} ${body}`);
}

/** Served from the copy alone, by a gateway that starts while the store is away. */
async function servedFromCopy(token = acme): Promise<readonly string[]> {
  seen.breakKeys(/./, unavailable);
  const gateway = await start();
  const answers = await serve(gateway, token);
  await gateway.gateway.stop();
  seen.mend();
  return answers;
}

/** The copies of registry, manifests and bodies. */
async function content(): Promise<readonly string[]> {
  return [...(await copiesBelow(folder))].sort();
}

/** Bodies are kept when they are read. */
async function waitForContent(gateway: GatewayFixture, names: readonly string[]): Promise<void> {
  const served = async (): Promise<readonly string[]> => {
    await serve(gateway);
    return await content();
  };
  await eventually(served, (found) => names.every((name) => found.includes(name)));
}

/** Takes the path away, at once whatever is below, and puts something else there before the gateway can put its own. */
function swap(path: string, put: () => void = () => {}): void {
  renameSync(path, join(root, `was-${randomUUID()}`));
  put();
}

/** Lines that say so, of this cause. */
function failures(gateway: GatewayFixture, of = ""): number {
  return gateway.log.filter(({ msg, cause }) => failed.test(String(msg)) && String(cause).includes(of))
    .length;
}

/** As operators see it: each attempt counts, and the first of them is told. */
async function writeFailures(gateway: GatewayFixture): Promise<number> {
  const text = await (await fetch(`${gateway.admin}/metrics`)).text();
  return Number(/^gateway_last_good_write_failures_total (\d+)$/m.exec(text)?.[1]);
}

test("W101: a folder that is removed while the gateway runs has all again that was confirmed and is in use", async () => {
  const gateway = await start();
  const right = await serve(gateway);
  await eventually(content, (found) => found.length === 5);
  const names = await content();
  swap(folder);
  await waitForContent(gateway, names);
  await waitForCopy(folder, first);
  await gateway.gateway.stop();
  expect(await servedFromCopy()).toEqual(right);
  expect((await lstat(folder)).mode & 0o777).toBe(0o700);
});

test("W101: what changed while nothing could be written is there as soon as something can", async () => {
  const gateway = await start();
  await serve(gateway);
  await eventually(content, (found) => found.length === 5);
  swap(folder, () => writeFileSync(folder, ""));
  await tokens.write([acme, late]);
  await publishSnapshot(store, "acme", { programIds: ["p1"], generation: 6, mark: "newer" });
  const right = await eventually(
    () => serve(gateway, late),
    (answers) => answers.every((answer) => answer.startsWith("200") && answer.includes("newer")),
  );
  await eventually(
    () => failures(gateway),
    (count) => count > 0,
  );
  await rm(folder);
  // Pointers and bodies are kept when somebody asks for them.
  await eventually(
    async () => [await serve(gateway, late), await content()],
    ([, found]) => found?.length === 5,
  );
  await waitForCopy(folder, { generation: 6, revision: 2, files: 5 });
  expect(failures(gateway)).toBe(1);
  await gateway.gateway.stop();
  expect(gateway.logText()).toContain("copy is written again");
  expect(await servedFromCopy(late)).toEqual(right);
});

test("W76: what the disk did not give at the start is served once it does", async () => {
  const gateway = await start();
  const right = await serve(gateway);
  await waitForCopy(folder, first);
  await gateway.gateway.stop();
  const [files, away] = [join(folder, "tenants"), join(root, "away")];
  await rename(files, away);
  seen.breakKeys(/./, unavailable);
  const next = await start();
  const answers = await serve(next);
  for (const answer of answers) expect(answer.slice(0, 3)).toBe("500");
  await rename(away, files);
  await eventually(
    () => serve(next),
    (later) => later.every((answer, at) => answer === right[at]),
  );
});

test("W100: what is no file of the gateway's own in the folder takes nothing away from the rest", async () => {
  const gateway = await start();
  const right = await serve(gateway);
  await waitForCopy(folder, first);
  await gateway.gateway.stop();
  await mkdir(join(folder, "states"));
  await symlink("nowhere", join(folder, "auth", "link"));
  await writeFile(join(folder, "tenants", "stray"), "");
  expect(await servedFromCopy()).toEqual(right);
  // A folder of an earlier version has other names.
  expect(await readdir(folder)).not.toContain("states");
});

test("W87: with STORE_ID, the copy of another store counts for nothing", async () => {
  await beginTestStore(store);
  const gateway = await start();
  await serve(gateway);
  await eventually(
    () => readdir(folder),
    (names) => names.includes("store.json"),
  );
  await waitForCopy(folder, first);
  await gateway.gateway.stop();
  seen.breakKeys(/./, unavailable);
  const env = { STORE_ID: "store_0000000000000000" };
  const other = await startGateway({
    seen: () => seen,
    lastGoodFolder: folder,
    waits: { registryMs: 250 },
    env,
  });
  running.push(other);
  for (const answer of await serve(other)) expect(answer.slice(0, 3)).toBe("500");
  expect(await content()).toEqual([]);
});

test("W100: a link in the place of a file counts as missing, and is replaced", async () => {
  const gateway = await start();
  const right = await serve(gateway);
  await waitForCopy(folder, first);
  await gateway.gateway.stop();
  const swapped = [...(await content()), join(folder, "tenants/acme/current.json")];
  await mkdir(join(root, "elsewhere"));
  for (const [at, path] of swapped.entries()) {
    await rename(path, join(root, "elsewhere", `${at}`));
    await symlink(join(root, "elsewhere", `${at}`), path);
  }
  for (const answer of await servedFromCopy()) expect(answer.slice(0, 3)).toBe("500");
  const next = await start();
  expect(await serve(next)).toEqual(right);
  await waitForContent(next, swapped.slice(0, -1));
});

test("W100: a folder that is opened to others is closed again, and one that is swapped for a link gets nothing", async () => {
  const gateway = await start();
  await serve(gateway);
  await eventually(content, (found) => found.length === 5);
  const names = await content();
  await chmod(folder, 0o777);
  await eventually(
    async () => (await lstat(folder)).mode & 0o777,
    (mode) => mode === 0o700,
  );
  const outside = join(root, "outside");
  await mkdir(outside);
  swap(folder, () => symlinkSync(outside, folder));
  await eventually(
    () => failures(gateway, "is no folder"),
    (count) => count > 0,
  );
  expect(
    (await fetch(`${gateway.api}/v1/programs`, { headers: { authorization: `Bearer ${acme.plaintext}` } }))
      .status,
  ).toBe(200);
  // What was under way when the link came may have ended there; nothing begins there.
  for (const name of await readdir(outside)) await rm(join(outside, name), { recursive: true });
  const before = await writeFailures(gateway);
  await eventually(
    () => writeFailures(gateway),
    (count) => count > before + 1,
  );
  expect(await readdir(outside)).toEqual([]);
  await rm(folder);
  await waitForContent(gateway, names);
  expect(failures(gateway, "is no folder")).toBe(1);
});
