import { afterAll, beforeAll, expect, test } from "vitest";
import { startInspect } from "../../support/inspect-fixture.ts";
import { deskTenant, openSupportDesk, type SupportDesk } from "../../support/support-desk.ts";
import { follow, program, type World, where } from "../../support/worlds.ts";

let desk: SupportDesk;

beforeAll(async () => {
  desk = await openSupportDesk();
});

afterAll(async () => {
  await desk.close();
});

test.each([2, 3])("P53 %d rows of one id are one program, wherever it is counted", async (rows) => {
  await desk.reset();
  const now = new Date("2026-11-21T12:00:00.000Z");
  await desk.source.query(
    `INSERT INTO partner_source.programs SELECT p.* FROM partner_source.programs p, generate_series(2, ${rows}) ${where}`,
  );
  const told = async (...args: readonly string[]): Promise<string> =>
    (await desk.run(args, { now })).stdout.replace(/\s+/g, " ");
  expect((await desk.build({ now })).stdout).toContain("1 finding\n");
  expect(await told("snapshot", "status")).toContain("left out 1 program with an error");
  expect(await told("tenant", "list")).toContain("left out 1 program with an error");
  expect(await told("source", "preview", "--program", program)).toContain("2 of its 2 active programs");

  const inspect = await startInspect(desk, { now });
  const page = async (path: string): Promise<string> =>
    (await (await inspect.get(path)).text()).replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  expect(await page("/")).toContain("1 to look at");
  expect(await page("/health")).toContain("left out 1 program with an error");
  await inspect.close();

  await desk.build({ now: new Date("2026-11-21T12:10:00.000Z"), args: ["--on-invalid", "fail"] });
  expect(await told("snapshot", "status")).toContain("1 program(s) of tenant sakura-trails are invalid");

  // The cure is one for any number of rows.
  const explanation = await told("snapshot", "explain", "--tenant", deskTenant, "--program", program);
  expect(explanation).toContain("have this id");
  await follow({ desk } as World, explanation);
  expect((await desk.build({ now })).status).toBe(0);
});
