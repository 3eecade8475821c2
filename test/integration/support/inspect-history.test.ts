import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseToken, type TokenPlaintext } from "../../../core/token.ts";
import { type DeskGateway, startDeskGateway } from "../../support/desk-gateway.ts";
import { endedAfter } from "../../support/gateway-faulty-store.ts";
import { type InspectFixture, startInspect } from "../../support/inspect-fixture.ts";
import { deskTenant, openSupportDesk, type SupportDesk } from "../../support/support-desk.ts";

/** The pages about what was: a program's timeline, snapshots that are not live, both sides of a rollback, and what is not there. */

const tenant = `/tenants/${deskTenant}`;
let desk: SupportDesk;
let gateway: DeskGateway;
let inspect: InspectFixture;
let token: TokenPlaintext;
/** By what was built, oldest first. */
let snapshots: readonly string[];

beforeAll(async () => {
  desk = await openSupportDesk();
  const at = (hour: number): Date => new Date(Date.UTC(2026, 10, 20, hour));
  await desk.build({ now: at(8) });
  await desk.source.query(
    "UPDATE partner_source.programs SET capacity_total = 25 WHERE program_id = 'KYOTO-1'",
  );
  await desk.build({ now: at(10) });
  await desk.source.query(
    "UPDATE partner_source.programs SET lifecycle_state = 'ended' WHERE program_id = 'NARA-2'",
  );
  await desk.source.query(
    "UPDATE partner_source.programs SET capacity_total = 30 WHERE program_id = 'KYOTO-1'",
  );
  await desk.build({ now: at(12) });
  await desk.run(["snapshot", "rollback", "--tenant", deskTenant], { now: at(13) });
  await desk.source.query(
    "UPDATE partner_source.programs SET name = '=2+2 Kyoto' WHERE program_id = 'KYOTO-1'",
  );
  const key = { tenant_id: deskTenant, program_id: "KYOTO-1" };
  await desk.source.insert(
    "enrollments",
    { ...key, status: "confirmed", role: "passenger" },
    { ...key, status: "confirmed", role: "passenger" },
    { ...key, status: "cancelled", role: "passenger" },
    { ...key, status: "confirmed", role: "staff" },
    { ...key, tenant_id: "another", status: "confirmed", role: "passenger" },
  );
  const created = await desk.run(["token", "create", "--tenant", deskTenant]);
  const plaintext = parseToken(/ppr_\w+/.exec(created.stdout)?.[0] ?? "");
  if (plaintext === undefined) throw new Error("no token was printed");
  token = plaintext;
  gateway = await startDeskGateway(desk);
  const asked = { url: gateway.api.replace(/\/$/, ""), tokens: [token] };
  inspect = await startInspect(desk, { now: new Date("2026-11-21T12:00:00.000Z"), gateway: asked });
  const { text } = await get(`${tenant}/snapshots?format=csv`);
  snapshots = [...text.matchAll(/^(\d{8}T\d{6}Z-[0-9a-f]{8}),/gm)].map(([, id]) => id ?? "").reverse();
});

afterAll(async () => {
  await inspect?.close();
  await gateway?.stop();
  await desk?.close();
});

async function get(path: string): Promise<{ status: number; text: string; words: string; headers: Headers }> {
  const response = await inspect.get(path);
  const text = Buffer.from(await response.arrayBuffer()).toString("utf8");
  const words = text.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  return { status: response.status, text, words, headers: response.headers };
}

describe("P72: the timeline of a program", () => {
  test("has each change that partners saw, with before and after, also those of a rollback", async () => {
    const { text } = await get(`${tenant}/programs/KYOTO-1/timeline?format=csv`);
    const rows = text
      .slice(1)
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(","));
    const totals = rows.filter(([, , , , , path]) => path === "capacity.total");
    expect(totals.map(([time, , how, , , , before, after]) => [time, how, before, after])).toEqual([
      ["2026-11-20T13:00:00.000Z", "rolled back to", "30", "25"],
      ["2026-11-20T12:00:00.000Z", "published", "25", "30"],
      ["2026-11-20T10:00:00.000Z", "published", "20", "25"],
    ]);
    expect(rows.at(-1)?.slice(0, 4)).toEqual([
      "2026-11-20T08:00:00.000Z",
      snapshots[0],
      "published",
      "oldest",
    ]);
  });

  test("says when a program was gone and when it came back", async () => {
    const { words } = await get(`${tenant}/programs/NARA-2/timeline`);
    expect(words).toMatch(/appeared.*A rollback went to.*gone.*A build published.*appeared/);
    expect(words).toContain("3 changes in 3 snapshots");
  });

  test("goes on with older changes where there are more than a page holds", async () => {
    const { words } = await get(`${tenant}/programs/KYOTO-1/timeline?older=2`);
    expect(words).toContain("2 changes in 2 snapshots from 2026-11-20T08:00:00Z until 2026-11-20T12:00:00Z");
    expect(words).toContain("← Newest");
  });

  test.each([
    ["2026-11-20T09:00", 0, "The program as it was"],
    ["2026-11-20T12:30", 2, "partners got 404."],
    ["2026-11-20T13:30", 1, "The program as it was"],
  ])("says what was live as of %s", async (at, snapshot, said) => {
    const { words } = await get(`${tenant}/programs/NARA-2/timeline?at=${at}`);
    expect(words).toContain(`partners saw snapshot ${snapshots[snapshot]} , which was live`);
    expect(words).toContain(said);
  });

  test.each([
    ["2026-11-19T00:00", "before the oldest snapshot"],
    ["2027-01-01T00:00", "that time is in the future"],
  ])("says so where it can't know, as of %s", async (at, said) => {
    expect((await get(`${tenant}/snapshots?at=${at}`)).words).toContain(said);
  });

  test("says of a version that is damaged that it is not known", async () => {
    const store = {
      ...desk.store,
      get: async (...args: Parameters<typeof desk.store.get>) =>
        args[0].includes(`${snapshots[1]}/v1/programs/KYOTO-1.json`)
          ? ({ kind: "missing" } as never)
          : await desk.store.get(...args),
    };
    const failing = await startInspect(desk, { store });
    const response = await failing.get(`${tenant}/programs/KYOTO-1/timeline`);
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining("changed is not known"),
    ]);
    await failing.close();
  });
});

test("P72: nobody is told that a program was in a snapshot whose manifest is damaged", async () => {
  const store: typeof desk.store = {
    ...desk.store,
    async get(key, options) {
      const found = await desk.store.get(key, options);
      if (found.kind !== "object" || !key.includes(`${snapshots[0]}/manifest.json`)) return found;
      return await endedAfter(found.size - 20)(async () => found, options);
    },
  };
  const failing = await startInspect(desk, { store });
  const response = await failing.get(`${tenant}/programs/KYOTO-1/timeline?format=csv`);
  const oldest = (await response.text()).trimEnd().split("\r\n").at(-1);
  expect(oldest).toMatch(new RegExp(`^2026-11-20T08:00:00.000Z,${snapshots[0]},published,unreadable`));
  await failing.close();
});

describe("P76: a snapshot's version of a program", () => {
  test("stays what it was, whatever is live", async () => {
    const { status, words } = await get(`${tenant}/snapshots/${snapshots[0]}/programs/KYOTO-1`);
    expect([status, words]).toEqual([200, expect.stringContaining("20 free of 20")]);
    expect(words).toContain("not what they get now");
  });

  test("is linked from what partners get now", async () => {
    const { text } = await get(`${tenant}/programs/KYOTO-1`);
    expect(text).toContain(`href="${tenant}/snapshots/${snapshots[1]}/programs/KYOTO-1"`);
  });

  test("stands among all of its snapshot", async () => {
    const { words } = await get(`${tenant}/snapshots/${snapshots[2]}`);
    expect(words).toContain("not live");
    expect(words).toContain("1 program");
  });
});

describe("side by side", () => {
  test("the database, the live snapshot and the gateway's real answer stand, and differences are marked", async () => {
    const { text, words } = await get(`${tenant}/programs/KYOTO-1/compare`);
    expect(text).toMatch(/<mark>&quot;=2\+2 Kyoto&quot;<\/mark>/);
    expect(words).toContain(`200 from snapshot ${snapshots[1]}, byte for byte`);
    const id = /inspect-[0-9a-f]{16}/.exec(words)?.[0] ?? "none";
    expect(gateway.log()).toContain(id);
  });

  test("P75: enrollments are counted by status and role, and it is said which take places", async () => {
    const { text } = await get(`${tenant}/programs/KYOTO-1/compare?format=csv&table=enrollments`);
    expect(text.slice(1).trimEnd().split("\r\n")).toEqual([
      "status,role,enrollments,takes places",
      "confirmed,passenger,2,yes",
      'cancelled,passenger,1,"no, it is over"',
      'confirmed,staff,1,"no, staff"',
    ]);
    expect((await get(`${tenant}/programs/KYOTO-1/compare`)).words).toContain("2 places are taken");
  });

  test("P74: the gateway is not asked with another tenant's token, nor is any token shown", async () => {
    await desk.source.insert("tenants", { tenant_id: "alpine", name: "Alpine" });
    await desk.source.insert("programs", {
      tenant_id: "alpine",
      program_id: "KYOTO-1",
      name: "Not that Kyoto",
      lifecycle_state: "active",
    });
    await desk.build({ args: ["--tenant", "alpine"] });
    const asked = (): readonly string[] => gateway.log().match(/"requestId":"inspect-[^"]*"/g) ?? [];
    await get(`${tenant}/programs/KYOTO-1/compare`);
    const before = asked();
    const { words } = await get("/tenants/alpine/programs/KYOTO-1/compare");
    expect(words).toContain("a token of tenant alpine");
    expect(before).not.toEqual([]);
    expect(asked()).toEqual(before);
    for (const path of [`${tenant}/programs/KYOTO-1/compare`, `${tenant}/programs/KYOTO-1`]) {
      expect((await get(path)).text).not.toContain(token.slice(0, 12));
    }
  });

  test("a gateway that does not answer, or is not named, is said to be so", async () => {
    const dead = await startInspect(desk, { gateway: { url: "http://127.0.0.1:9", tokens: [token] } });
    const response = await dead.get(`${tenant}/programs/KYOTO-1/compare`);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("no answer")]);
    await dead.close();
    const alone = await startInspect(desk);
    expect(await (await alone.get(`${tenant}/programs/KYOTO-1/compare`)).text()).toContain("--gateway");
    await alone.close();
  });

  test.each([
    [["--gateway", "https://x.example"], "go together"],
    [["--gateway", "https://u:p@x.example", "--token-file", "/dev/null"], "takes the gateway's address"],
    [["--gateway", "https://x.example", "--token-file", "/dev/null"], "hold one token"],
  ])("inspect %j is refused: it says %s", async (args, said) => {
    const { status, stderr } = await desk.run(["inspect", "--port", "0", ...args]);
    expect([status, stderr]).toEqual([2, expect.stringContaining(said)]);
  });
});

describe("what leads on", () => {
  test("the changes of a tenant that was rolled back are those that the rollback took", async () => {
    const { status, words } = await get(`${tenant}/diff`);
    expect([status, words]).toEqual([
      200,
      expect.stringContaining("0 removed, 1 added, 1 changed, 0 the same."),
    ]);
  });

  test("a program that was removed leads to why, and to how it was", async () => {
    const { text } = await get(`${tenant}/diff?from=${snapshots[1]}&to=${snapshots[2]}`);
    expect(text).toContain(`href="${tenant}/explain?program=NARA-2"`);
    expect(text).toContain(`href="${tenant}/snapshots/${snapshots[1]}/programs/NARA-2"`);
    const missing = await get(`${tenant}/snapshots/${snapshots[2]}/programs/NARA-2`);
    expect([missing.status, missing.words]).toEqual([404, expect.stringContaining("what partners get now")]);
  });

  test.each([
    ["kyoto-1", "Did you mean KYOTO-1 ?"],
    ["OSAKA-3", "don’t get OSAKA-3"],
  ])("the page of a program that is not there (%s) leads on", async (program, said) => {
    const { status, words } = await get(`${tenant}/programs/${program}`);
    expect([status, words]).toEqual([404, expect.stringContaining(said)]);
  });

  test("a program's page has a line for curl, with a place for the token", async () => {
    const { words } = await get(`${tenant}/programs/KYOTO-1`);
    expect(words).toContain(
      `curl -i -H &quot;Authorization: Bearer $TOKEN&quot; &#39;${gateway.api.replace(/\/$/, "")}/v1/programs/KYOTO-1&#39;`,
    );
  });
});

describe("P73: a table for a spreadsheet", () => {
  test.each([
    "/?x=1",
    `${tenant}?x=1`,
    `${tenant}/snapshots?x=1`,
    `${tenant}/diff?x=1`,
    `${tenant}/programs/KYOTO-1?x=1`,
    `${tenant}/explain?program=KYOTO-1`,
  ])("is linked from %s and is a file", async (path) => {
    const links = [...(await get(path)).text.matchAll(/href="([^"]*format=csv[^"]*)"/g)];
    expect(links).not.toEqual([]);
    for (const [, link] of links) {
      const { status, text, headers } = await get((link ?? "").replaceAll("&amp;", "&"));
      expect([status, text.startsWith("\ufeff")]).toEqual([200, true]);
      expect(headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
      expect(headers.get("content-disposition")).toMatch(/^attachment; filename="[\w.~-]+\.csv"$/);
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });

  test("has no formula in it", async () => {
    const { text } = await get(`${tenant}/explain?program=KYOTO-1&format=csv`);
    expect(text).toContain("Name,name,Temples of Kyoto,'=2+2 Kyoto\r\n");
  });

  test("that is not there is not found", async () => {
    expect((await get(`${tenant}?format=csv&table=nothing`)).status).toBe(404);
    expect((await get(`${tenant}/explain?format=csv`)).status).toBe(404);
  });
});
