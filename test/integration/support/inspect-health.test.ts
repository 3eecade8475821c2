import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createFileStore } from "../../../core/store/file-store/file-store.ts";
import { startInspect } from "../../support/inspect-fixture.ts";
import { folderForAllTests, forAllTests } from "../../support/lasting.ts";
import { logLine } from "../../support/log-lines.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

/** P53: the page over tenants of which each has something real the matter with it. */

const noon = new Date("2026-11-21T12:00:00.000Z");
const desk = forAllTests(openSupportDesk);
const logFile = join(folderForAllTests(), "gateway.log");

const inspect = forAllTests(async () => {
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
  return await startInspect(desk, { now: noon });
});

async function textOf(key: string): Promise<string> {
  const found = await desk.store.get(key as never);
  if (found.kind !== "object") throw new Error(`no ${key}`);
  return Buffer.concat(await found.body.toArray()).toString("utf8");
}

test("P53: the worst stands first, each with why, since when and what to do", async () => {
  const page = await inspect.words("/health");
  expect(page).toMatch(/damaged .*Partners get 500 \(internal error\).*snapshot verify --tenant damaged/);
  const order = [
    "damaged damaged Partners",
    "alpine , empty empty list",
    `${deskTenant} held`,
    "well key expires",
  ].map((text) => page.indexOf(text));
  expect(order).not.toContain(-1);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(page).toMatch(/held Held since .*: rollback to /);
  expect(page).toContain("Last run left out 1 program with an error.");
});

test("W162: a gateway that has lost its store is found by its log: partners get an older snapshot, and since when", async () => {
  const time = new Date(noon.getTime() - 20_000).toISOString();
  const lost = { unconfirmedSince: "2026-11-21T11:58:00.123Z", unconfirmedCode: "store_unreachable" };
  await writeFile(
    logFile,
    logLine({ requestId: "r-lost", time, ...lost }) + logLine({ requestId: "r-other", time }),
  );
  const heading = async (now: Date): Promise<string> => {
    const pages = await startInspect(desk, { now, logFile });
    const page = await (await pages.get("/health")).text();
    await pages.close();
    return page;
  };
  const said = "not be reached since 21 November 2026, 11:58 UTC";
  const page = await heading(noon);
  expect(page).toContain(said);
  expect(page).toContain('href="/requests/r-lost"');
  expect(await heading(new Date(noon.getTime() + 3_600_000))).not.toContain(said);
});

test("W162: in a place that is no store nothing counts as well, and an explanation knows no answer", async () => {
  const directory = `${desk.storeDirectory}-away`;
  const nowhere = await startInspect(desk, { now: noon, store: createFileStore({ directory }) });
  expect(await (await nowhere.get("/health")).text()).not.toContain("Nothing needs attention");
  await nowhere.close();
  const args = ["snapshot", "explain", "--tenant", deskTenant, "--program", "KYOTO-1"];
  const { stdout } = await desk.run(args, { env: { STORE_URL: `file:${directory}` } });
  expect(stdout.replace(/\s+/g, " ")).toMatch(/no store in .* older snapshot/);
  expect(stdout).not.toContain("Partners get");
});
