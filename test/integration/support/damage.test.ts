import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { noteDamage, readDamage } from "../../../cli/operate/snapshots/damage-record.ts";
import { verifyTenant } from "../../../cli/operate/snapshots/verify-tenant.ts";
import { Failure } from "../../../core/failure.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { startInspect } from "../../support/inspect-fixture.ts";
import { deskTenant, openSupportDesk, type SupportDesk } from "../../support/support-desk.ts";
import { program } from "../../support/worlds.ts";

/** P53: what `snapshot verify` found damaged is told for as long as partners get 500 for it. */

const now = new Date("2026-11-21T12:00:00.000Z");
const { signal } = new AbortController();
const told = /500 \(internal error\) for 2 published files .*`snapshot verify`/;
let desk: SupportDesk;
/** The bodies that were damaged, by file. */
let bodies: ReadonlyMap<string, string>;

beforeAll(async () => {
  desk = await openSupportDesk();
});

beforeEach(async () => {
  await desk.reset();
  await desk.build({ now: new Date("2026-11-21T08:00:00.000Z") });
  bodies = await damageListAndProgram();
  expect((await desk.run(["snapshot", "verify"], { now })).status).toBe(1);
});

afterAll(async () => {
  await desk.close();
});

async function damageListAndProgram(): Promise<ReadonlyMap<string, string>> {
  const read = (key: string) => readFile(join(desk.storeDirectory, key), "utf8");
  const { snapshotId } = JSON.parse(await read(`tenants/${deskTenant}/current.json`));
  const manifest = JSON.parse(await read(`tenants/${deskTenant}/snapshots/${snapshotId}/manifest.json`));
  const whole = new Map<string, string>();
  for (const { key } of [manifest.list, manifest.programs[program]]) {
    whole.set(join(desk.storeDirectory, key), await read(key));
  }
  for (const [file, text] of whole) await writeFile(file, text.replace("active", "acTive"));
  return whole;
}

async function statusWords(): Promise<string> {
  return (await desk.run(["snapshot", "status"], { now })).stdout.replace(/\s+/g, " ");
}

test("P53 by status, Health, Tenants and `tenant list`, with its program, its time and what to do", async () => {
  expect(await statusWords()).toMatch(told);
  const inspect = await startInspect(desk, { now });
  const health = (await (await inspect.get("/health")).text()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  expect(health).toMatch(told);
  expect(health).toMatch(/Found: just now .* KYOTO-1 .*snapshot build --tenant sakura-trails --rewrite/);
  expect(await (await inspect.get("/")).text()).toContain('<span class="badge bad">damaged</span>');
  await inspect.close();
  expect((await desk.run(["tenant", "list"], { now })).stdout).toMatch(/ damaged\n/);
});

test("P53 no more, once a build has replaced the files; nothing is recorded after the next verification", async () => {
  await desk.build({ now });
  expect(await statusWords()).toMatch(told);
  await desk.build({ now, args: ["--rewrite"] });
  expect(await statusWords()).not.toContain("damaged");
  expect((await readDamage(desk.store, signal)).size).toBe(1);
  expect((await desk.run(["snapshot", "verify"])).status).toBe(0);
  expect((await readDamage(desk.store, signal)).size).toBe(0);
});

test("P53 no more, once a verification finds the files whole", async () => {
  for (const [file, text] of bodies) await writeFile(file, text);
  expect(await statusWords()).toMatch(told);
  await desk.run(["snapshot", "verify", "--tenant", deskTenant]);
  expect(await statusWords()).not.toContain("damaged");
});

test("P93 a removed tenant is not in the record", async () => {
  await desk.source.query("DELETE FROM partner_source.tenants");
  expect((await desk.run(["tenant", "remove", deskTenant, "--purge"])).status).toBe(0);
  expect((await readDamage(desk.store, signal)).size).toBe(0);
});

test("whoever may not write the record verifies all the same, and a record that cannot be read is named", async () => {
  const verified = [await verifyTenant(desk.store, parseTenantId(deskTenant), false, signal)];
  const denied = new Failure("store_denied", "No.");
  const readOnly = { ...desk.store, get: desk.store.get, put: () => Promise.reject(denied) };
  await expect(noteDamage(readOnly, verified, now, signal)).resolves.toBeUndefined();
  await writeFile(join(desk.storeDirectory, "runs/damaged.json"), "{}");
  expect(await statusWords()).toContain("runs/damaged.json does not fit");
});
