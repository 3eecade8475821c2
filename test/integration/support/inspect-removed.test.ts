import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type InspectFixture, startInspect } from "../../support/inspect-fixture.ts";
import { deskTenant, openSupportDesk, type SupportDesk } from "../../support/support-desk.ts";

/** P91: what the pages say of a tenant that was removed, whose files are still there. */

const tenant = `/tenants/${deskTenant}`;
let desk: SupportDesk;
let inspect: InspectFixture;

beforeAll(async () => {
  desk = await openSupportDesk();
  await desk.source.insert("tenants", { tenant_id: "alpine", name: "Alpine" });
  await desk.build({ now: new Date("2026-11-20T08:00:00.000Z") });
  await desk.source.query("DELETE FROM partner_source.programs");
  await desk.source.query(`DELETE FROM partner_source.tenants WHERE tenant_id = '${deskTenant}'`);
  const removed = await desk.run(["tenant", "remove", deskTenant], {
    now: new Date("2026-11-20T12:00:00.000Z"),
  });
  expect(removed.stderr + removed.status).toMatch(/0$/);
  inspect = await startInspect(desk, { now: new Date("2026-11-21T12:00:00.000Z") });
});

afterAll(async () => {
  await inspect?.close();
  await desk?.close();
});

async function words(path: string): Promise<string> {
  const text = await (await inspect.get(path)).text();
  return text.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}

test.each([tenant, `${tenant}/programs/KYOTO-1`])(
  "P91 %s says what partners saw until the removal, and that they see nothing now",
  async (path) => {
    const text = await words(path);
    expect(text).toMatch(
      /2026-11-20T08:00:00Z .{0,30}a day ago 2026-11-20T12:00:00Z|24 hours ago 2026-11-20T12:00:00Z/,
    );
    expect(text).toMatch(/[Pp]artners get 401/);
    expect(text).not.toMatch(/until (Z )?now| live /);
  },
);

test("P91 a program that the tenant never had is no 404 to partners, who get 401", async () => {
  const text = await words(`${tenant}/programs/NOBODY-1`);
  expect(text).toContain("Partners get 401 (unauthorized) for everything");
  expect(text).not.toContain("404");
});

test("P91 nobody is told that partners see a program of a removed tenant", async () => {
  const text = await words("/find?q=a");
  expect(text).toMatch(/NARA-2 sakura-trails no removed tenant/);
});

test("P69 the box says that access keys are not among what it looked through", async () => {
  await writeFile(join(desk.storeDirectory, "auth/tokens.json"), "{");
  expect(await words("/find?q=tok_1AU0ieUuHub1Tsvs")).toContain("Access keys are missing");
});
