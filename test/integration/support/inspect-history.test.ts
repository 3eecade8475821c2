import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type InspectFixture, startInspect } from "../../support/inspect-fixture.ts";
import { forAllTests } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

/** The page of a program: its versions, what changed between two of them, and what is not there. */

const tenant = `/tenants/${deskTenant}`;
const kyoto = `${tenant}/programs/KYOTO-1`;
const desk = forAllTests(openSupportDesk);
let inspect: InspectFixture;
/** By what was built, oldest first. */
let snapshots: readonly string[];

beforeAll(async () => {
  const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 20, hour));
  await desk.build({ now: at(8) });
  await desk.source.update("capacity_total = 25", "KYOTO-1");
  await desk.build({ now: at(10) });
  await desk.source.update("lifecycle_state = 'ended'", "NARA-2");
  await desk.source.update("capacity_total = 30", "KYOTO-1");
  await desk.build({ now: at(12) });
  await desk.run(["snapshot", "rollback", "--tenant", deskTenant], { now: at(13) });
  inspect = await startInspect(desk, { now: new Date("2026-11-21T12:00:00.000Z") });
  const { stdout } = await desk.run(["snapshot", "list", "--tenant", deskTenant]);
  snapshots = [...new Set(stdout.match(/\d{8}T\d{6}Z-[0-9a-f]{8}/g))].sort();
});

afterAll(async () => {
  await inspect?.close();
});

/** What the page says of each version, newest first: what happened, and since when. */
async function versions(path: string): Promise<readonly string[]> {
  const text = await (await inspect.get(path)).text();
  const items = /<ol class="versions".*?<\/ol>/s.exec(text)?.[0].split("<li>").slice(1) ?? [];
  return items.map((item) => {
    const [, mark = "", from = ""] = /badge \w+">([\w ]+)<.*?datetime="([^"]+)"/s.exec(item) ?? [];
    return `${from.slice(11, 16)} ${mark}`;
  });
}

describe("P48: the versions of a program", () => {
  test("are all that partners saw, with their times, also those of a rollback", async () => {
    expect(await versions(kyoto)).toEqual(["13:00 changed", "12:00 changed", "10:00 changed", "08:00 there"]);
    expect(await inspect.words(kyoto)).toMatch(/ago 2026-11-20T13:00:00Z until now A rollback went to/);
    expect(await versions(`${tenant}/programs/NARA-2`)).toEqual([
      "13:00 appeared",
      "12:00 gone",
      "08:00 there",
    ]);
  });

  test.each([
    ["", /Capacity, total 30 25/],
    ["?version=2", /Capacity, total 25 30/],
  ])("are compared with the one before (%s)", async (query, said) => {
    const named = query.replace(/\d/g, (at) => snapshots[Number(at)] ?? "");
    const page = await inspect.words(kyoto + named);
    expect(page.slice(page.indexOf("What changed"))).toMatch(said);
  });
});
