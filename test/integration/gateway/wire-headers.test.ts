import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import { authorized, describeWire, request, type WireCase } from "../../support/gateway-wire.ts";
import type { RawResponse } from "../../support/raw-http.ts";

function list(name: string, headers: readonly string[], also: (answer: RawResponse) => void): WireCase {
  return {
    name,
    send: request("GET /v1/programs", authorized, ...headers),
    answers: ["200 list"],
    ending: "open",
    also: (answer) => {
      if (answer === undefined) throw new Error("no answer");
      also(answer);
    },
  };
}

const requestId = (answer: RawResponse | undefined): string => answer?.header("x-request-id") ?? "";
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const longest = "a".repeat(128);

describeWire("W41, W42, W41 headers of responses", [
  list("W40 X-Request-Id is echoed", ["X-Request-Id: Order-7_a.b"], (answer) =>
    expect(requestId(answer)).toBe("Order-7_a.b"),
  ),
  list("X-Request-Id of 128 characters is echoed", [`X-Request-Id: ${longest}`], (answer) =>
    expect(requestId(answer)).toBe(longest),
  ),
  list("X-Request-Id of 129 characters: a fresh UUID", [`X-Request-Id: ${longest}a`], (answer) =>
    expect(requestId(answer)).toMatch(uuid),
  ),
  list(
    "W180 Snapshot-Since of an unknown snapshot: what changed cannot be said",
    ["Snapshot-Since: 20260101T000000Z-00000000"],
    (answer) => expect(answer.header("snapshot-changed")).toBe("*"),
  ),
  ...[
    ["Snapshot-Since: yesterday"],
    ["Snapshot-Since:"],
    Array(2).fill("snapshot-since: 20260101T000000Z-00000000"),
  ].map((lines) =>
    list(`W180 ${lines.join(", ")}: ignored`, lines, (answer) =>
      expect(answer.header("snapshot-changed")).toBeUndefined(),
    ),
  ),
  list("no X-Request-Id: a fresh UUID", [], (answer) => expect(requestId(answer)).toMatch(uuid)),
  list("X-Request-Id with markup: a fresh UUID", ['X-Request-Id: "><script>'], (answer) =>
    expect(requestId(answer)).toMatch(uuid),
  ),
  list("W40 two X-Request-Ids: a fresh UUID", ["X-Request-Id: a", "X-Request-Id: a"], (answer) =>
    expect(requestId(answer)).toMatch(uuid),
  ),
  list("W44, W45 authenticated responses tell quota and snapshot", [], (answer) => {
    expect(answer.header("ratelimit-policy")).toBe('"default";q=1000000;w=60');
    expect(answer.header("ratelimit")).toMatch(/^"default";r=\d+;t=([1-9]|[1-5]\d|60)$/);
    expect(answer.header("snapshot-id")).toMatch(/^\d{8}T\d{6}Z-[0-9a-f]{8}$/);
    expect(answer.header("snapshot-generated-at")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    expect(Math.abs(Date.parse(answer.header("date") ?? "") - Date.now())).toBeLessThan(3_600_000);
  }),
  {
    name: "W44, W45 an authenticated 404 tells quota and snapshot",
    send: request("GET /v1/programs/unknown", authorized),
    answers: ["404 not_found"],
    ending: "open",
    also: (answer) => {
      expect(answer?.header("ratelimit")).toBeDefined();
      expect(answer?.header("snapshot-id")).toBeDefined();
      expect(answer?.header("snapshot-generated-at")).toBeDefined();
    },
  },
  {
    name: "a 404 of an unknown path tells nothing of a tenant",
    send: request("GET /unknown", authorized),
    answers: ["404 not_found"],
    ending: "open",
    also: (answer) => {
      expect(answer?.header("ratelimit")).toBeUndefined();
      expect(answer?.header("snapshot-id")).toBeUndefined();
    },
  },
  list(
    "W46 identity is available even where it is forbidden",
    ["Accept-Encoding: identity;q=0, br"],
    (answer) => expect(answer.header("content-encoding")).toBeUndefined(),
  ),
  list(
    "W41 conditional headers are ignored",
    ["If-None-Match: *", "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT"],
    () => {},
  ),
  list("W41 a range is ignored", ["Range: bytes=0-9", "If-Range: x"], (answer) => {
    expect(answer.header("content-range")).toBeUndefined();
    expect(answer.header("accept-ranges")).toBeUndefined();
  }),
  list("W5 Accept is not negotiated", ["Accept: text/html, application/xml;q=0.9"], () => {}),
  list("W41 Origin gets no CORS header", ["Origin: https://shop.example"], () => {}),
  list("W48 an unknown Expect is ignored", ["Expect: tea"], () => {}),
  {
    name: "W46 gzip, in the first of two lines: the decoded bytes are the same",
    send: `${request("GET /v1/programs/p1", authorized, "Accept-Encoding: gzip", "Accept-Encoding: br")}${request("GET /v1/programs/p1", authorized)}`,
    answers: ["200 gzip", "200 detail p1"],
    ending: "open",
    also: (packed, plain) => {
      expect(packed?.header("content-encoding")).toBe("gzip");
      expect(gunzipSync(packed?.body ?? "").equals(plain?.body ?? Buffer.alloc(0))).toBe(true);
      expect(packed?.body.length).toBeLessThan(plain?.body.length ?? 0);
    },
  },
  {
    name: "W48 Expect: 100-continue gets its answer at once, and the connection ends",
    send: request("GET /v1/programs", authorized, "Expect: 100-continue", "Content-Length: 5"),
    answers: ["200 list"],
    ending: "closed",
  },
  {
    name: "Connection: close ends the connection",
    send: request("GET /v1/programs", authorized, "Connection: close"),
    answers: ["200 list"],
    ending: "closed",
    also: (answer) => expect(answer?.header("connection")).toBe("close"),
  },
  ...(
    [
      ["200 legacy", "GET", [authorized]],
      ["401 unauthorized", "GET", []],
      ["403 forbidden", "GET", ["Authorization: Bearer {noScope}"]],
      ["405 method_not_allowed", "POST", []],
      ["500 internal_error", "GET", ["Authorization: Bearer {unpublished}"]],
    ] as const
  ).map(
    ([answer, method, headers]): WireCase => ({
      name: `W47 every response of the legacy resource tells that it is deprecated`,
      send: request(`${method} /api/v1/partner/programs`, ...headers),
      answers: [answer],
      ending: "open",
      also: (response) => {
        expect(response?.header("deprecation")).toBe("@1735689600");
        expect(response?.header("link")).toBe('</v1/programs>; rel="successor-version"');
        expect(response?.header("sunset")).toBe("Tue, 01 Jan 2030 00:00:00 GMT");
      },
    }),
  ),
  list("the current resources are not deprecated", [], (answer) => {
    expect(answer.header("deprecation")).toBeUndefined();
    expect(answer.header("sunset")).toBeUndefined();
    expect(answer.header("link")).toBeUndefined();
  }),
]);
