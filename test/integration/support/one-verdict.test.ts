import { beforeEach, expect, test } from "vitest";
import { forAllTests } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

/** What is told is what is so now: not what traces of the past suggest, not what nobody has to do, and not only the first of it. */

const now = new Date("2026-11-21T12:00:00.000Z");
const explain = ["snapshot", "explain", "--tenant", deskTenant, "--program"];
const desk = forAllTests(openSupportDesk);

beforeEach(async () => {
  await desk.reset();
});

async function told(...args: readonly string[]): Promise<string> {
  return (await desk.run(args, { now })).stdout.replace(/\s+/g, " ");
}

test("a tenant whose access keys were moved, and that has new ones, stands for itself", async () => {
  const rows = (tenantId: string): Promise<void> =>
    desk.source.insert("programs", {
      tenant_id: tenantId,
      program_id: "EIGER",
      name: "Eiger",
      lifecycle_state: "active",
    });
  await desk.source.insert("tenants", { tenant_id: "alpine" });
  await rows("alpine");
  await desk.build({ now: new Date(now.getTime() - 3_600_000) });
  await desk.run(["token", "create", "--tenant", deskTenant], { now });
  expect((await desk.run(["tenant", "rename", deskTenant, "alpine", "--allow-shrink"], { now })).status).toBe(
    0,
  );
  await desk.run(["token", "create", "--tenant", deskTenant], { now });
  await desk.source.query("UPDATE partner_source.programs SET name = ' ' WHERE program_id = 'NARA-2'");
  await desk.build({ now });
  const status = await told("snapshot", "status");
  expect(status).toContain(`${deskTenant} last run left out 1 program with an error`);
  expect(`${status}${await told("tenant", "list")}`).not.toContain("is alpine now");
  const explained = await desk.json([...explain, "KYOTO-1"], { now });
  expect(explained).toMatchObject({
    tenantId: deskTenant,
    renamedFrom: null,
    answer: 200,
    row: "served_same",
  });
});

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
