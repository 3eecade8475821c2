import { describe, expect, test } from "vitest";
import type { CommandResult } from "../../support/command-line.ts";
import { startInspect } from "../../support/inspect-fixture.ts";
import { forAllTests } from "../../support/lasting.ts";
import { converse, type RawResponse } from "../../support/raw-http.ts";
import { deskTenant, openSupportDesk } from "../../support/support-desk.ts";

const hostile = `<img src=x onerror=alert(1)>"'&`;
const noon = new Date("2026-11-21T12:00:00.000Z");
const desk = forAllTests(openSupportDesk);

const inspect = forAllTests(async () => {
  await desk.source.query("UPDATE partner_source.programs SET name = $1 WHERE program_id = 'NARA-2'", [
    hostile,
  ]);
  await desk.build({ now: new Date("2026-11-21T08:00:00.000Z") });
  await desk.source.query(
    "UPDATE partner_source.programs SET description = $1 WHERE program_id = 'KYOTO-1'",
    [hostile],
  );
  await desk.build({ now: new Date("2026-11-21T10:00:00.000Z") });
  return await startInspect(desk, { now: noon });
});

async function get(path: string): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await inspect.get(path);
  return { status: response.status, text: await response.text(), headers: response.headers };
}

async function raw(request: string): Promise<RawResponse> {
  const { responses } = await converse(inspect.url, { send: request, responses: 1 });
  const [response] = responses;
  if (response === undefined) throw new Error("no response");
  return response;
}

describe("the pages of inspect", () => {
  test.each([
    ["/", 200, "Nothing needs attention"],
    ["/health", 200, "1 tenant: 0 in trouble, 0 to look at, 1 well. 2 programs in all."],
    [`/tenants/${deskTenant}`, 200, "Temples of Kyoto"],
    [`/tenants/${deskTenant}/programs/KYOTO-1`, 200, "What partners get"],
    [`/tenants/${deskTenant}`, 200, "Why isn’t a program"],
    [`/tenants/${deskTenant}/programs/OSAKA-3`, 200, "&quot;draft&quot;, and only active"],
    [`/tenants/${deskTenant}/programs/A%2FB`, 200, "Partners get 400"],
    [`/tenants/${deskTenant}/programs?id=..`, 200, "Partners get 400"],
    ["/style.css", 200, "prefers-color-scheme: dark"],
    ["/nothing", 404, "There is no page"],
    ["/tenants/nobody", 404, "has nothing of tenant nobody"],
    ["/tenants/%zz", 404, "There is no page"],
    [`/tenants/${deskTenant}/nothing`, 404, "There is no page"],
  ])("%s is %d and says %s", async (path, status, text) => {
    const page = await get(path);
    expect(page.status).toBe(status);
    expect(page.text).toContain(text);
  });

  test.each([
    `/tenants/${deskTenant}`,
    `/tenants/${deskTenant}/programs/KYOTO-1`,
    `/tenants/${deskTenant}/programs/NARA-2`,
    `/tenants/${deskTenant}/programs/${encodeURIComponent(hostile)}`,
  ])("%s takes what stands in the data for text, not for HTML", async (path) => {
    const { text } = await get(path);
    expect(text).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(text).not.toContain("<img");
  });

  test.each(["/", "/style.css", "/nothing"])(
    "%s lets nothing be loaded, run, framed or kept",
    async (path) => {
      const { headers, text } = await get(path);
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cross-origin-resource-policy")).toBe("same-origin");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(text).not.toMatch(/<script|javascript:|\son\w+=|style="/);
    },
  );
});

describe("the server of inspect", () => {
  test.each(["POST", "PUT", "DELETE", "HEAD", "OPTIONS"])(
    "answers %s with 405: there is nothing but GET",
    async (method) => {
      const response = await fetch(inspect.url, { method, headers: { cookie: inspect.cookie } });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
    },
  );

  test.each([
    ["another name for 127.0.0.1", "rebound.example"],
    ["another port", "127.0.0.1:1"],
    ["a name that only begins so", "localhost.example"],
  ])(
    "does not answer to %s: a page of the web could read it through the visitor's browser",
    async (_, host) => {
      const { status, body } = await raw(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect(status).toBe(421);
      expect(body.toString()).not.toContain(deskTenant);
    },
  );

  test.each(["http://evil.example/", "//evil.example/", "*"])(
    "takes the target %s for no page of another host",
    async (target) => {
      const { status } = await raw(
        `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${inspect.port}\r\nCookie: ${inspect.cookie}\r\n\r\n`,
      );
      expect(status).toBe(404);
    },
  );
});

describe("the key of inspect", () => {
  test("lets in whoever opens the printed address, and leaves the address bar", async () => {
    const response = await fetch(inspect.welcome, { redirect: "manual" });
    expect([response.status, response.headers.get("location"), await response.text()]).toEqual([
      303,
      "/",
      "",
    ]);
    expect(response.headers.get("set-cookie")).toBe(`${inspect.cookie}; Path=/; HttpOnly; SameSite=Strict`);
  });

  test.each([
    ["no key", "/", undefined],
    ["a wrong key in the address", "/?key=guess", undefined],
    ["an empty key in the address", "/?key=", undefined],
    ["the key in the address of another page", "/style.css?key=the-key-of-this-run", undefined],
    ["a wrong cookie", "/", (own: string) => `${own.slice(0, -1)}x`],
    ["the cookie of another port", "/", (own: string) => own.replace(/\d+=/, "1=")],
    ["the key of a longer cookie", "/", (own: string) => `${own}x`],
    ["nothing but the cookie's name", "/", (own: string) => own.replace(/=.*/, "=")],
  ])("is asked for: with %s there is nothing but how to get it", async (_, path, cookie) => {
    const headers = { cookie: cookie?.(inspect.cookie) ?? "" };
    const response = await fetch(inspect.url + path, { headers, redirect: "manual" });
    expect(response.status).toBe(403);
    expect(response.headers.get("set-cookie")).toBeNull();
    const text = await response.text();
    expect(text).toContain("`partner-programs inspect` printed");
    expect(text).not.toContain(deskTenant);
    expect(text).not.toContain(inspect.key);
  });

  test.each(["cross-site", "same-site"])(
    "does not open a page that a page of another origin asks for (%s)",
    async (site) => {
      for (const path of ["/", `/tenants/${deskTenant}`, `/?key=${inspect.key}`]) {
        const response = await inspect.get(path, { "sec-fetch-site": site });
        expect([response.status, await response.text()]).toEqual([
          403,
          expect.stringContaining("Another page asked"),
        ]);
      }
      // Typed into the address bar, and a link on one of the pages.
      expect((await inspect.get("/", { "sec-fetch-site": "none" })).status).toBe(200);
      expect((await inspect.get("/", { "sec-fetch-site": "same-origin" })).status).toBe(200);
    },
  );
});

test("inspect says where it listens, serves until it is interrupted, and ends with 0", async () => {
  const interruption = new AbortController();
  let ended: Promise<CommandResult> | undefined;
  const printed = await new Promise<string>((resolve) => {
    ended = desk.run(["inspect", "--port", "0"], { signal: interruption.signal, onOutput: resolve });
  });
  expect(printed).toMatch(/^Pages over file:\S+ at http:\/\/127\.0\.0\.1:\d+\/\?key=[\w-]{43} \(.*\)\n$/);
  const url = /http:\S+/.exec(printed)?.[0] ?? "";
  const { status, headers } = await fetch(url, { redirect: "manual" });
  expect([status, headers.get("location")]).toEqual([303, "/"]);
  const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  expect((await fetch(new URL("/", url), { headers: { cookie } })).status).toBe(200);
  interruption.abort();
  expect((await ended)?.status).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});
