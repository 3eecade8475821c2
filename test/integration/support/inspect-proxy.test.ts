import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { askPages, type InspectRun, type Reply, runInspect, visits } from "../../support/inspect-run.ts";
import { openSignInDesk, type SignInDesk, proxySecret as secret } from "../../support/sign-in-desk.ts";
import { deskTenant, type SupportDesk } from "../../support/support-desk.ts";

let signIn: SignInDesk;
let desk: SupportDesk;
let secretFile: string;

beforeAll(async () => {
  signIn = await openSignInDesk();
  ({ desk, secretFile } = signIn);
});

afterAll(() => signIn.close());

let running: InspectRun;

function ask(headers: readonly (readonly [string, string])[], path?: string): Promise<Reply> {
  return askPages(running.port, headers, path);
}

describe("behind a proxy that signs people in", () => {
  beforeEach(async () => {
    running = await runInspect(desk, [
      "--user-header",
      "X-Email",
      "--proxy-secret-file",
      secretFile,
      "--host-name",
      "desk.example",
    ]);
  });
  afterEach(() => running.stop());

  const proxy = ["X-Inspect-Secret", secret] as const;
  const ada = ["X-Email", "ada@desk.example"] as const;

  test("P61: whoever the proxy names sees the pages, and the log says who looked at what", async () => {
    const { status, text } = await ask(
      [["Host", "desk.example"], proxy, ada],
      `/tenants/${deskTenant}?q=deer`,
    );
    expect([status, text]).toEqual([200, expect.stringContaining("Deer of Nara")]);
    const result = await running.stop();
    expect(visits(result)).toEqual([
      expect.objectContaining({
        user: "ada@desk.example",
        method: "GET",
        target: `/tenants/${deskTenant}?q=deer`,
        status: 200,
        remoteAddress: "127.0.0.1",
        time: expect.stringMatching(/^\d{4}-.*Z$/),
      }),
    ]);
    expect(result.stderr).not.toContain(secret);
    expect(running.printed).not.toContain(secret);
  });

  test.each<[string, readonly (readonly [string, string])[]]>([
    ["a name alone", [ada]],
    ["a wrong secret", [ada, ["X-Inspect-Secret", secret.replace("0", "1")]]],
    ["the beginning of the secret", [ada, ["X-Inspect-Secret", secret.slice(0, -1)]]],
    ["the secret twice", [ada, proxy, proxy]],
    ["the secret, and no name", [proxy]],
    ["an empty name", [proxy, ["X-Email", " "]]],
    ["two names", [proxy, ada, ["X-Email", "eve@desk.example"]]],
    ["a name as long as a page", [proxy, ["X-Email", "e".repeat(5000)]]],
  ])("P61: %s opens nothing", async (_, headers) => {
    const { status, text } = await ask(headers);
    expect(status).toBe(403);
    expect(text).not.toContain(deskTenant);
    expect(visits(await running.stop())).toEqual([expect.objectContaining({ user: null, status: 403 })]);
  });

  test.each<[string, number, readonly (readonly [string, string])[]]>([
    ["a name that somebody pointed here", 421, [["Host", "rebound.example"]]],
    ["a name that only begins so", 421, [["Host", "desk.example.evil.example"]]],
    ["its own name", 200, [["Host", "DESK.example:8443"]]],
    [
      "a page of another site, within it",
      403,
      [
        ["Sec-Fetch-Site", "cross-site"],
        ["Sec-Fetch-Mode", "no-cors"],
        ["Sec-Fetch-Dest", "image"],
      ],
    ],
    [
      "a page of another site, in a frame",
      403,
      [
        ["Sec-Fetch-Site", "same-site"],
        ["Sec-Fetch-Mode", "navigate"],
        ["Sec-Fetch-Dest", "iframe"],
      ],
    ],
    [
      "a script of a neighbouring site",
      403,
      [
        ["Sec-Fetch-Site", "same-site"],
        ["Sec-Fetch-Mode", "cors"],
        ["Sec-Fetch-Dest", "empty"],
      ],
    ],
    [
      "a link in a ticket, or the way back from the login",
      200,
      [
        ["Sec-Fetch-Site", "cross-site"],
        ["Sec-Fetch-Mode", "navigate"],
        ["Sec-Fetch-Dest", "document"],
      ],
    ],
  ])("P63: asked by %s it answers %d", async (_, status, headers) => {
    expect((await ask([proxy, ada, ...headers])).status).toBe(status);
  });
});
