import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type DeskGateway, startDeskGateway } from "../../support/desk-gateway.ts";
import { deskTenant, openSupportDesk, type SupportDesk } from "../../support/support-desk.ts";

/** Every answer that the gateway has, asked of a real one, and explained from its real log. */

let desk: SupportDesk;
let gateway: DeskGateway;
const tokens = new Map<string, string>();

beforeAll(async () => {
  desk = await openSupportDesk();
  await desk.build({ now: new Date("2026-11-21T08:00:00.000Z") });
  await desk.source.query(
    "UPDATE partner_source.programs SET lifecycle_state = 'ended' WHERE program_id = 'NARA-2'",
  );
  await desk.build({ now: new Date("2026-11-21T09:00:00.000Z") });
  await issue("Website");
  await issue("Old");
  await issue("Gone");
  await issue("Narrow", "--allow-unknown-scope", "--scope", "other.read");
  await issue("Small", "--rate-limit", "1");
  await desk.run(["token", "rotate", await idOf("Old")]);
  await desk.run(["token", "revoke", await idOf("Gone")]);
  await desk
    .run(["token", "create", "--tenant", "empty", "--allow-unpublished", "--name", "Empty"])
    .then(({ stdout }) => tokens.set("Empty", stdout.trim()));
  gateway = await startDeskGateway(desk);
});

afterAll(async () => {
  await gateway.stop();
  await desk.close();
});

async function issue(name: string, ...options: readonly string[]): Promise<void> {
  const { stdout } = await desk.run(["token", "create", "--tenant", deskTenant, "--name", name, ...options]);
  tokens.set(name, stdout.trim());
}

async function idOf(name: string): Promise<string> {
  const listed = (await desk.json(["token", "list"])) as readonly { tokenId: string; name: string }[];
  return listed.find((token) => token.name === name)?.tokenId ?? "";
}

async function ask(requestId: string, path: string, name?: string): Promise<number> {
  const token = name === undefined ? undefined : (tokens.get(name) ?? name);
  return (await gateway.get(path, { requestId, ...(token === undefined ? {} : { token }) })).status;
}

async function explained(requestId: string): Promise<string> {
  const result = await desk.run(["request", "explain", requestId, "--log", "-"], { stdin: gateway.log() });
  expect(result.stderr).toBe("");
  expect(result.status).toBe(0);
  return result.stdout;
}

describe("request explain", () => {
  test("shows the client's address where a proxy has told it", async () => {
    await ask("behind-a-proxy", "/v1/programs", "Website");
    const log = gateway.log().replaceAll('"requestId":"behind-a-proxy"', '$&,"client":"203.0.113.7"');
    const call = (...more: readonly string[]) =>
      desk.run(["request", "explain", "behind-a-proxy", "--log", "-", ...more], { stdin: log });
    expect((await call()).stdout).toMatch(/^ *from +203\.0\.113\.7$/m);
    expect(JSON.parse((await call("--json")).stdout).requests[0].client).toBe("203.0.113.7");
    expect(await explained("behind-a-proxy")).not.toMatch(/^ *from /m);
  });

  test.each<[number, string, string, string | undefined, readonly string[]]>([
    [200, "the list", "/v1/programs", "Website", ["asked GET /v1/programs", "--list"]],
    [200, "a program", "/v1/programs/KYOTO-1", "Website", ["program KYOTO-1", "/v1/programs/KYOTO-1.json"]],
    [401, "without a token", "/v1/programs", undefined, ["came without an access key"]],
    [
      401,
      "with half a token",
      "/v1/programs",
      "ppr_half",
      ["The access key was incomplete or altered", "Don't have it rotated yet"],
    ],
    [401, "with a token that was rotated", "/v1/programs", "Old", ["(Old) was replaced on", "by tok_"]],
    [401, "with a token that was revoked", "/v1/programs", "Gone", ["and no other was issued in its place"]],
    [403, "without the scope", "/v1/programs", "Narrow", ["(scope programs.read); it has: other.read"]],
    [
      404,
      "for what ended",
      "/v1/programs/NARA-2",
      "Website",
      ["last published with the data of 21 November 2026, 08:00 UTC", "took it out", 'calls it "ended"'],
    ],
    [
      404,
      "for what never was",
      "/v1/programs/X",
      "Website",
      ["no published version has it. Now: Partners get 404 for this id: neither the booking system nor"],
    ],
    [404, "for a path that is none", "/v1/Programs", "Website", ["none that the API has"]],
    [400, "for an ill-formed id", "/v1/programs/a%2Fb", "Website", ["cannot be the id of a program"]],
    [
      500,
      "of a tenant without a snapshot",
      "/v1/programs",
      "Empty",
      ["Nothing was published then for the tenant", "snapshot build --tenant empty"],
    ],
  ])("tells the cause of a %d %s", async (status, what, path, token, texts) => {
    const requestId = `r-${what.replace(/\W+/g, "-")}`;
    expect(await ask(requestId, path, token)).toBe(status);
    const text = await explained(requestId);
    expect(text).toContain(`Request ${requestId}: ${status}`);
    for (const part of texts) expect(text.replace(/\s+/g, " ")).toContain(part.replace(/\s+/g, " "));
    expect(text).toMatch(/\nNext: /);
  });

  test("tells whose limit a 429 exceeded", async () => {
    await ask("limit-1", "/v1/programs", "Small");
    expect(await ask("limit-2", "/v1/programs", "Small")).toBe(429);
    expect(await explained("limit-2")).toContain("more requests than 1 in 60 seconds");
  });

  test("finds a request in a compressed log among others", async () => {
    await ask("packed", "/v1/programs", "Website");
    const log = join(desk.storeDirectory, "..", `${deskTenant}-${process.pid}.log.gz`);
    onTestFinished(() => rm(log, { force: true }));
    await writeFile(log, gzipSync(gateway.log()));
    const args = ["request", "explain", "packed", "--log", "-", "--log", log];
    const { status, stdout } = await desk.run(args, { stdin: "no log at all\n" });
    expect([status, stdout.includes("Request packed: 200 OK")]).toEqual([0, true]);
  });

  test("explains each request of an id that a client used twice", async () => {
    await ask("twice", "/v1/programs", "Website");
    await ask("twice", "/v1/programs");
    const text = await explained("twice");
    expect(text).toContain("Request twice: 200 OK");
    expect(text).toContain("Request twice: 401 unauthorized");
  });

  test("works when the store is away, from the log alone", async () => {
    await ask("alone", "/v1/programs/NARA-2", "Website");
    const { status, stdout } = await desk.run(["request", "explain", "alone", "--log", "-"], {
      stdin: gateway.log(),
      env: { STORE_URL: "file:/nowhere/at/all" },
    });
    expect(status).toBe(0);
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "Why could not be found out: nothing of its tenant is published",
    );
  });

  test("of an id that is not in the log is exit status 1 and says what time the log covers", async () => {
    await ask("something", "/v1/programs", "Website");
    const { status, stderr } = await desk.run(["request", "explain", "nothing", "--log", "-"], {
      stdin: gateway.log(),
    });
    expect(status).toBe(1);
    expect(stderr).toMatch(/The log has no request "nothing"; it covers 20\S+Z to 20\S+Z\./);
  });

  test("of a log that is none says so", async () => {
    const { status, stderr } = await desk.run(["request", "explain", "x", "--log", "-"], {
      stdin: "GET / 200\n",
    });
    expect(status).toBe(1);
    expect(stderr).toContain("Is it the gateway's log, with LOG_LEVEL=info?");
  });

  test("without --log is an error of usage", async () => {
    expect((await desk.run(["request", "explain", "x"])).status).toBe(2);
  });

  test("prints an object for programs", async () => {
    await ask("json", "/v1/programs/NARA-2", "Website");
    const explanation = await desk.json(["request", "explain", "json", "--log", "-"], {
      stdin: gateway.log(),
    });
    expect(explanation).toMatchObject({
      requestId: "json",
      requests: [
        {
          status: 404,
          route: "detail",
          programId: "NARA-2",
          token: { name: "Website", successors: [] },
          program: { isServed: false },
          missed: { kind: "removed" },
          now: { answer: 404, verdict: "not_publishable" },
          next: { commands: ["snapshot build --tenant sakura-trails"] },
        },
      ],
      omitted: 0,
    });
  });
});

describe("token usage", () => {
  test("counts the requests of each token and names the idle ones and those that call the deprecated resource", async () => {
    await issue("Idle");
    await ask("u-1", "/api/v1/partner/programs", "Website");
    const { status, stdout } = await desk.run(["token", "usage", "--log", "-"], { stdin: gateway.log() });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^tok_\w+ +Website +sakura-trails +\d+/m);
    expect(stdout).toMatch(/^\(none\) +- +- +\d+/m);
    expect(stdout).toMatch(/Still calling the deprecated resource: tok_\w+ \(Website\)\./);
    expect(stdout).toContain(`${await idOf("Idle")} (Idle)`);
  });

  test("lists every count by token, resource, status and day with --all", async () => {
    await ask("u-2", "/v1/programs", "Website");
    const { stdout } = await desk.run(["token", "usage", "--all", "--log", "-"], { stdin: gateway.log() });
    const [, day] = /"time":"([\d-]+)T[^\n]*"u-2"/.exec(gateway.log()) ?? [];
    expect(stdout).toMatch(new RegExp(`^${await idOf("Website")} +list +200 +${day} +\\d+ +20`, "m"));
  });

  test("prints an object for programs", async () => {
    await ask("u-3", "/v1/programs", "Website");
    const usage = await desk.json(["token", "usage", "--log", "-"], { stdin: gateway.log() });
    expect(usage).toMatchObject({
      from: expect.stringMatching(/^20/),
      to: expect.stringMatching(/^20/),
      tokens: expect.arrayContaining([
        expect.objectContaining({ name: "Website", byClass: expect.anything() }),
      ]),
      rows: expect.arrayContaining([expect.objectContaining({ resource: "list", status: 200 })]),
    });
  });
});

test("a 500 for want of a snapshot is not told of a tenant that was published since", async () => {
  await desk.source.insert("tenants", { tenant_id: "late", name: "Late" });
  const created = await desk.run(["token", "create", "--tenant", "late", "--allow-unpublished"]);
  tokens.set("Late", created.stdout.trim());
  await expect.poll(() => ask("known-yet", "/v1/programs", "Late")).toBe(500);
  expect(await ask("too-early", "/v1/programs", "Late")).toBe(500);
  await desk.source.insert("programs", {
    tenant_id: "late",
    program_id: "SAPA-1",
    name: "Sapa",
    lifecycle_state: "active",
  });
  expect((await desk.build({ args: ["--tenant", "late"] })).status).toBe(0);
  await expect.poll(() => ask("in-time", "/v1/programs", "Late")).toBe(200);
  const text = await explained("too-early");
  expect(text).toContain("Nothing was published then for the tenant");
  expect(text).not.toContain("Nothing is published");
});
