import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startInspect } from "../../support/inspect-fixture.ts";
import { forAllTests } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

/** P91: what the pages say of a tenant that was removed, whose files are still there. */

const tenant = `/tenants/${deskTenant}`;
const desk = forAllTests(openSupportDesk);

const inspect = forAllTests(async () => {
  await desk.source.insert("tenants", { tenant_id: "alpine", name: "Alpine" });
  await desk.build({ now: new Date("2026-11-20T08:00:00.000Z") });
  await desk.source.query("DELETE FROM partner_source.programs");
  await desk.source.query(`DELETE FROM partner_source.tenants WHERE tenant_id = '${deskTenant}'`);
  const removed = await desk.run(["tenant", "remove", deskTenant], {
    now: new Date("2026-11-20T12:00:00.000Z"),
  });
  expect(removed.stderr + removed.status).toMatch(/0$/);
  return await startInspect(desk, { now: new Date("2026-11-21T12:00:00.000Z") });
});

test.each([tenant, `${tenant}/programs/KYOTO-1`])(
  "P91 %s says what partners saw until the removal, and that they see nothing now",
  async (path) => {
    const text = await inspect.words(path);
    expect(text).toMatch(
      /2026-11-20T08:00:00Z .{0,30}a day ago 2026-11-20T12:00:00Z|24 hours ago 2026-11-20T12:00:00Z/,
    );
    expect(text).toMatch(/[Pp]artners get 401/);
    expect(text).not.toMatch(/until (Z )?now| live /);
  },
);

test("P69 the box says that access keys are not among what it looked through", async () => {
  await writeFile(join(desk.storeDirectory, "auth/tokens.json"), "{");
  expect(await inspect.words("/find?q=tok_1AU0ieUuHub1Tsvs")).toContain("Access keys are missing");
});
