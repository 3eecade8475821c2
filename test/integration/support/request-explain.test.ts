import { describe, expect, test } from "vitest";
import { startGateway } from "../../support/gateway-fixture.ts";
import { forAllTests } from "../../support/lasting.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

/** Every answer that the gateway has, asked of a real one, and explained from its real log. */

const desk = forAllTests(openSupportDesk);
const tokens = new Map<string, string>();

const gateway = forAllTests(async () => {
  await desk.build({ now: new Date("2026-11-21T08:00:00.000Z") });
  await desk.source.update("lifecycle_state = 'ended'", "NARA-2");
  await desk.build({ now: new Date("2026-11-21T09:00:00.000Z") });
  await issue("Website");
  await issue("Gone");
  await desk.run(["token", "revoke", await idOf("Gone")]);
  await desk
    .run(["token", "create", "--tenant", "empty", "--allow-unpublished", "--name", "Empty"])
    .then(({ stdout }) => tokens.set("Empty", stdout.trim()));
  return await startGateway({ directory: desk.storeDirectory });
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
  return (await gateway.client.get(path, token, { "X-Request-Id": requestId })).status;
}

interface Explained {
  readonly requests: readonly [
    {
      readonly summary: string;
      readonly next: { readonly commands: readonly string[] };
      readonly programId: string | null;
      readonly objectKey: string | null;
    },
  ];
}

async function explainedJson(requestId: string, env = {}): Promise<Explained> {
  const args = ["request", "explain", requestId, "--log", "-"];
  return (await desk.json(args, { stdin: gateway.logText(), env })) as Explained;
}

/** Next steps, one of whose commands is this. */
function commands(one: RegExp): object {
  return { commands: expect.arrayContaining([expect.stringMatching(one)]) };
}

async function explained(requestId: string): Promise<string> {
  const result = await desk.run(["request", "explain", requestId, "--log", "-"], {
    stdin: gateway.logText(),
  });
  expect([result.stderr, result.status]).toEqual(["", 0]);
  return result.stdout;
}

describe("request explain", () => {
  test("shows the client's address where a proxy has told it", async () => {
    await ask("behind-a-proxy", "/v1/programs", "Website");
    const log = gateway.logText().replaceAll('"requestId":"behind-a-proxy"', '$&,"client":"203.0.113.7"');
    const call = (...more: readonly string[]) =>
      desk.run(["request", "explain", "behind-a-proxy", "--log", "-", ...more], { stdin: log });
    expect((await call()).stdout).toMatch(/^ *from +203\.0\.113\.7$/m);
    expect(JSON.parse((await call("--json")).stdout).requests[0].client).toBe("203.0.113.7");
    expect(await explained("behind-a-proxy")).not.toMatch(/^ *from /m);
  });

  test.each<[number, string, string, string | undefined, object]>([
    [200, "the list", "/v1/programs", "Website", { route: "list", next: commands(/--list$/) }],
    [200, "a program", "/v1/programs/KYOTO-1", "Website", { next: commands(/--program KYOTO-1$/) }],
    [401, "without a token", "/v1/programs", undefined, { causeCode: "no_token", token: null }],
    [
      401,
      "with a token that was revoked",
      "/v1/programs",
      "Gone",
      {
        causeCode: "revoked_token",
        token: { name: "Gone", successors: [] },
        next: commands(/^token create --tenant sakura-trails$/),
      },
    ],
    [
      404,
      "for what ended",
      "/v1/programs/NARA-2",
      "Website",
      {
        route: "detail",
        programId: "NARA-2",
        token: { name: "Website", successors: [] },
        program: { isServed: false },
        missed: { kind: "removed", last: { generatedAt: "2026-11-21T08:00:00.000Z" } },
        now: { answer: 404, verdict: "not_publishable" },
        next: { commands: ["snapshot build --tenant sakura-trails"] },
      },
    ],
    [
      404,
      "for what never was",
      "/v1/programs/X",
      "Website",
      { missed: { kind: "never" }, now: { row: "missing_unknown" } },
    ],
    [404, "for a path that is none", "/v1/Programs", "Website", { causeCode: "unknown_path" }],
    [
      400,
      "for an ill-formed id",
      "/v1/programs/a%2Fb",
      "Website",
      { causeCode: "malformed_id", next: commands(/--list$/) },
    ],
    [
      500,
      "of a tenant without a snapshot",
      "/v1/programs",
      "Empty",
      { causeCode: "not_found", next: commands(/^snapshot build --tenant empty$/) },
    ],
  ])(
    "tells the cause of a %d %s, in words and as an object for programs",
    async (status, what, path, token, facts) => {
      const requestId = `r-${what.replace(/\W+/g, "-")}`;
      expect(await ask(requestId, path, token)).toBe(status);
      const found = await explainedJson(requestId);
      expect(found).toMatchObject({ requestId, requests: [{ status, ...facts }], omitted: 0 });
      const text = (await explained(requestId)).replace(/\s+/g, " ");
      expect(text).toMatch(new RegExp(`^Request ${requestId}: ${status} .* asked GET .* Next: `));
      const [{ summary, next, programId, objectKey }] = found.requests;
      const said = [summary, ...next.commands, ...(programId === null ? [] : [` program ${programId}`])];
      for (const part of [...said, objectKey ?? "none was read"]) expect(text).toContain(part);
    },
  );

  test("explains each request of an id that a client used twice", async () => {
    await ask("twice", "/v1/programs", "Website");
    await ask("twice", "/v1/programs");
    const text = await explained("twice");
    expect(text).toContain("Request twice: 200 OK");
    expect(text).toContain("Request twice: 401 unauthorized");
  });
});

test("token usage counts the requests of each token and names the idle ones and those that call the deprecated resource", async () => {
  await issue("Idle");
  await ask("u-1", "/api/v1/partner/programs", "Website");
  const { status, stdout } = await desk.run(["token", "usage", "--log", "-"], { stdin: gateway.logText() });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^tok_\w+ +Website +sakura-trails +\d+/m);
  expect(stdout).toMatch(/^\(none\) +- +- +\d+/m);
  expect(stdout).toMatch(/deprecated resource: tok_\w+ \(Website\)\./);
  expect(stdout).toContain(`${await idOf("Idle")} (Idle)`);
});
