import { expect, test } from "vitest";
import { freshForEachTest } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

/** What is told is what is so now: not what traces of the past suggest, not what nobody has to do, and not only the first of it. */

const now = new Date("2026-11-21T12:00:00.000Z");
const explain = ["snapshot", "explain", "--tenant", deskTenant, "--program"];
const desk = freshForEachTest(openSupportDesk);

test("the sandbox has no age, is not lost, and its programs are not looked for in the booking system", async () => {
  await desk.build({ now });
  expect((await desk.run(["sandbox", "init"], { now })).status).toBe(0);
  const later = new Date(now.getTime() + 9 * 24 * 3_600_000);
  await desk.build({ now: later });
  const { tenants } = (await desk.json(["snapshot", "status"], { now: later })) as {
    readonly tenants: readonly {
      readonly tenantId: string;
      readonly live: object;
      readonly concerns: object[];
    }[];
  };
  const sandbox = tenants.find(({ tenantId }) => tenantId === "sandbox");
  expect(sandbox).toMatchObject({ isSandbox: true, live: { ageSeconds: null }, notInSource: null });
  expect(sandbox?.concerns.filter((concern) => !JSON.stringify(concern).includes("token_"))).toEqual([]);
  const show = await desk.run(["snapshot", "show", "--tenant", "sandbox", "--list"]);
  const [first] = JSON.parse(show.stdout).data as readonly [{ readonly id: string }];
  for (const [program, row] of [
    [first.id, "served_same"],
    ["NO-SUCH", "missing_unknown"],
  ] as const) {
    const args = ["snapshot", "explain", "--tenant", "sandbox", "--program", program];
    const { stdout } = await desk.run([...args, "--json"], { now: later });
    expect(JSON.parse(stdout)).toMatchObject({ row });
    expect((await desk.run(args, { now: later })).stdout).not.toMatch(/booking system|snapshot build/);
  }
});

test("all that keeps a program from partners is said at once, and then what they would not see of it", async () => {
  await desk.build({ now });
  await desk.source.query(`
    UPDATE partner_source.programs SET lifecycle_state = 'on sale', name = ' ', cover_url = 'http://img.example/x.jpg'
     WHERE program_id = 'KYOTO-1'`);
  const explained = (await desk.json([...explain, "KYOTO-1"], { now })) as {
    readonly summary: string;
    readonly next: { readonly text: string };
    readonly source: { readonly problems: readonly { code: string; programId: string }[] };
  };
  expect(explained.summary).toMatch(
    /cannot be published: Its state "on sale" is not .* It has no name.* would still not be shown whole: Media, cover url/,
  );
  expect(explained.next.text).toMatch(/corrected in the booking system: State, Name\..*Media, cover url/);
  expect(explained.source).toMatchObject({
    problems: [
      { code: "lifecycle_state_unknown", programId: "KYOTO-1" },
      { code: "program_name_blank", programId: "KYOTO-1" },
    ],
    dropped: [{ code: "url_dropped" }],
  });
});
