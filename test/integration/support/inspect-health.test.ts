import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type InspectFixture, startInspect } from "../../support/inspect-fixture.ts";
import { deskTenant, openSupportDesk, type SupportDesk } from "../../support/support-desk.ts";

/** P77: the page over tenants of which each has something real the matter with it. */

const noon = new Date("2026-11-21T12:00:00.000Z");
let desk: SupportDesk;
let inspect: InspectFixture;

beforeAll(async () => {
  desk = await openSupportDesk();
  for (const tenant_id of ["alpine", "damaged", "empty", "well"]) {
    await desk.source.insert("tenants", { tenant_id, name: tenant_id });
    if (tenant_id === "empty") continue;
    await desk.source.insert("programs", {
      tenant_id,
      program_id: "EIGER",
      name: tenant_id === "alpine" ? " " : "Eiger",
      lifecycle_state: "active",
    });
  }
  // Every quarter of an hour, so that it is known what is usual.
  for (let minutes = -120; minutes <= 0; minutes += 15) {
    const change = `UPDATE partner_source.programs SET capacity_total = ${120 - minutes} WHERE program_id = 'KYOTO-1'`;
    await desk.source.query(change);
    await desk.build({ now: new Date(noon.getTime() + minutes * 60_000 - 60_000) });
  }
  await desk.run(["snapshot", "rollback", "--tenant", deskTenant], { now: noon });
  await desk.run(["token", "create", "--tenant", "well", "--expires", "2026-11-25T12:00:00Z"], {
    now: new Date("2026-11-15T12:00:00.000Z"),
  });
  const pointer = JSON.parse(await textOf("tenants/damaged/current.json"));
  await writeFile(
    join(desk.storeDirectory, `tenants/damaged/snapshots/${pointer.snapshotId}/manifest.json`),
    "{}",
  );
  inspect = await startInspect(desk, { now: noon });
});

afterAll(async () => {
  await inspect?.close();
  await desk?.close();
});

async function textOf(key: string): Promise<string> {
  const found = await desk.store.get(key as never);
  if (found.kind !== "object") throw new Error(`no ${key}`);
  return Buffer.concat(await found.body.toArray()).toString("utf8");
}

async function words(path: string): Promise<string> {
  return (await (await inspect.get(path)).text()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

test("P77: the worst stands first, each with why, since when and what to do", async () => {
  const page = await words("/health");
  expect(page).toContain("A build usually comes every 15 minutes.");
  expect(page).toMatch(/damaged .*Partners get 500 \(internal error\).*snapshot verify --tenant damaged/);
  const order = [
    "damaged damaged",
    "alpine empty list",
    "empty empty list",
    `${deskTenant} held`,
    "well key expires",
  ].map((text) => page.indexOf(text));
  expect(order).not.toContain(-1);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(page).toMatch(/held Held since .* by ada@desk: rollback to /);
  expect(page).toContain("Last run left out 1 program with an error.");
});

test("P77: the program that is faulty leads to its explanation", async () => {
  const text = await (await inspect.get("/health")).text();
  expect(text).toContain('href="/tenants/alpine/explain?program=EIGER"');
});

test("P77: tenants whose builds stay away are found by the usual interval", async () => {
  const later = await startInspect(desk, { now: new Date(noon.getTime() + 2 * 3_600_000) });
  const page = await (await later.get("/health")).text();
  expect(page).toContain("much longer than usual; usually one comes every 15 minutes.");
  await later.close();
});
