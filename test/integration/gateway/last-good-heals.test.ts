import { renameSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
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
import {
  createTokenFile,
  type IssuedToken,
  issueToken,
  type TokenFile,
} from "../../support/gateway-tokens.ts";
import { ask, copiesBelow, type KeptCopy, waitForCopy } from "../../support/last-good-stage.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
const late = issueToken("acme", { rateLimit: 1_000_000 });
const paths = ["/v1/programs", "/api/v1/partner/programs", "/v1/programs/p1"];
/** Registry, manifest, both lists and a detail. */
const first = { generation: 5, revision: 1, files: 5 };
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

function failures(gateway: GatewayFixture): number {
  return gateway.log.filter(({ msg }) => /could not be written/.test(String(msg))).length;
}

/** Asks until registry, pointer and manifest are kept: the gateway looks at a pointer when somebody asks for it. */
async function waitForDocuments(gateway: GatewayFixture, token: IssuedToken, kept: KeptCopy): Promise<void> {
  let isOver = false;
  const waiting = waitForCopy(folder, kept).finally(() => {
    isOver = true;
  });
  while (!isOver) await serve(gateway, token);
  await waiting;
}

test("W101: registry, pointer and manifest come back to a folder that was removed while the gateway ran", async () => {
  const gateway = await start();
  await serve(gateway);
  await waitForCopy(folder, first);
  renameSync(folder, join(root, "was"));
  await waitForDocuments(gateway, acme, { ...first, files: 2 });
});

test("W101: what changed while nothing could be written is there as soon as something can", async () => {
  const gateway = await start();
  await serve(gateway);
  await waitForCopy(folder, first);
  renameSync(folder, join(root, "was"));
  writeFileSync(folder, "");
  await tokens.write([acme, late]);
  await publishSnapshot(store, "acme", { programIds: ["p1"], generation: 6, mark: "newer" });
  await eventually(
    () => serve(gateway, late),
    (answers) => answers.every((answer) => answer.startsWith("200") && answer.includes("newer")),
  );
  await eventually(
    () => failures(gateway),
    (count) => count > 0,
  );
  await rm(folder);
  await waitForDocuments(gateway, late, { generation: 6, revision: 2, files: 2 });
  await gateway.gateway.stop();
  expect(gateway.logText()).toContain("copy is written again");
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

test("W100: a link in the place of a file counts as missing", async () => {
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
  expect(await serve(await start())).toEqual(right);
});
