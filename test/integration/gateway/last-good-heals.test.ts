import { renameSync, writeFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { eventually } from "../../support/gateway-client.ts";
import { unavailable } from "../../support/gateway-faulty-store.ts";
import type { GatewayFixture } from "../../support/gateway-fixture.ts";
import { publishSnapshot } from "../../support/gateway-snapshots.ts";
import { type IssuedToken, issueToken } from "../../support/gateway-tokens.ts";
import { copiesBelow, type KeptCopy, openLastGoodDesk, waitForCopy } from "../../support/last-good-stage.ts";
import { forEachTest } from "../../support/lasting.ts";

const acme = issueToken("acme", { rateLimit: 1_000_000 });
const late = issueToken("acme", { rateLimit: 1_000_000 });
/** Registry, manifest, both lists and a detail. */
const first = { generation: 5, revision: 1, files: 5 };
const desk = forEachTest(openLastGoodDesk);

beforeEach(async () => {
  await desk.tokens.write([acme]);
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

/** Asks until registry, pointer and manifest are kept: the gateway looks at a pointer when somebody asks for it. */
async function waitForDocuments(gateway: GatewayFixture, token: IssuedToken, kept: KeptCopy): Promise<void> {
  let isOver = false;
  const waiting = waitForCopy(desk.folder, kept).finally(() => {
    isOver = true;
  });
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
  await eventually(
    () => failures(gateway),
    (count) => count > 0,
  );
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
  await eventually(
    () => readdir(desk.folder),
    (names) => names.includes("store.json"),
  );
  await gateway.gateway.stop();
  desk.seen.breakKeys(/./, unavailable);
  const other = await desk.start({ waits: { registryMs: 250 }, env: { STORE_ID: "store_0000000000000000" } });
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
