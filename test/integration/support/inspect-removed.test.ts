import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type InspectFixture, startInspect } from "../../support/inspect-fixture.ts";
import { forAllTests } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

/** P91: what the pages say of a tenant that was removed, whose files are still there. */

const tenant = `/tenants/${deskTenant}`;
const desk = forAllTests(openSupportDesk);
let inspect: InspectFixture;

beforeAll(async () => {
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

test("P69 the box says that access keys are not among what it looked through", async () => {
  await writeFile(join(desk.storeDirectory, "auth/tokens.json"), "{");
  expect(await words("/find?q=tok_1AU0ieUuHub1Tsvs")).toContain("Access keys are missing");
});
