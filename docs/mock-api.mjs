// @ts-check
// A mock of the API for a partner who has no token yet: the programs of programs.json, each by its id, for
// any token.
//
// node mock-api.mjs [port]
//
// Needs Node.js alone. The header `Prefer: code=429` asks for that answer, or for a 400, 401, 403, 404, 405
// or 500. With `Snapshot-Since: 20270114T080000Z-00000000` the detail of the list's first program has changed
// since.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const { list, legacy, details } = JSON.parse(readFileSync(new URL("programs.json", import.meta.url), "utf8"));

const challenge = 'Bearer realm="programs"';
const quota = { "RateLimit-Policy": '"default";q=600;w=60', RateLimit: '"default";r=599;t=60' };
const snapshot = {
  "Snapshot-Id": "20270115T080000Z-00000000",
  "Snapshot-Generated-At": "2027-01-15T08:00:00.000Z",
};
const earlierSnapshot = "20270114T080000Z-00000000";
const deprecated = { Deprecation: "@1735689600", Link: '</v1/programs>; rel="successor-version"' };
/** @type {Readonly<Record<number, readonly [code: string, message: string, headers: object]>>} */
const refusals = {
  400: ["invalid_request", "Invalid request", quota],
  401: ["unauthorized", "Authentication required", { "WWW-Authenticate": challenge }],
  403: [
    "forbidden",
    "Insufficient scope",
    { ...quota, "WWW-Authenticate": `${challenge}, error="insufficient_scope", scope="programs.read"` },
  ],
  404: ["not_found", "Resource not found", {}],
  405: ["method_not_allowed", "Method not allowed", { Allow: "GET" }],
  429: ["rate_limit_exceeded", "Rate limit exceeded", { ...quota, "Retry-After": "1" }],
  500: ["internal_error", "Internal error", quota],
};

const server = createServer((request, response) => {
  const path = (request.url ?? "").replace(/\?.*$/, "");
  const sent = String(request.headers["x-request-id"] ?? "");
  const requestId = /^[A-Za-z0-9._-]{1,128}$/.test(sent) ? sent : randomUUID();
  const { status, body, headers } = answerOf(path, request);
  const [code, message, more] = refusals[status] ?? [];
  response.writeHead(status, {
    "X-Request-Id": requestId,
    "Cache-Control": "no-store",
    "Content-Type": "application/json; charset=utf-8",
    ...(path === "/api/v1/partner/programs" ? deprecated : {}),
    ...more,
    ...headers,
  });
  response.end(JSON.stringify(body ?? { error: { code, message }, requestId }));
});

/**
 * @param {string} path @param {import("node:http").IncomingMessage} request
 * @returns {{ readonly status: number, readonly body?: object, readonly headers?: object }}
 */
function answerOf(path, { method, headers }) {
  const id = /^\/v1\/programs\/([^/]+)$/.exec(path)?.[1];
  const whole = { "/v1/programs": list, "/api/v1/partner/programs": legacy }[path];
  if (id === undefined && whole === undefined) return { status: 404 };
  const wanted = /\bcode=(\d+)/.exec(String(headers.prefer ?? ""))?.[1];
  if (wanted !== undefined && Object.hasOwn(refusals, wanted)) return { status: Number(wanted) };
  if (method !== "GET") return { status: 405 };
  if (!/^bearer +\S+$/i.test(headers.authorization ?? "")) return { status: 401 };
  if (id !== undefined && !/^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/.test(id)) return { status: 400 };
  const body = whole ?? (Object.hasOwn(details, id ?? "") ? details[id ?? ""] : undefined);
  const known = { ...quota, ...snapshot, ...(whole === list ? changedSince(headers["snapshot-since"]) : {}) };
  if (body === undefined) return { status: 404, headers: known };
  return { status: 200, body, headers: { ...known, Vary: "Accept-Encoding" } };
}

/** @param {string | string[] | undefined} since */
function changedSince(since) {
  if (!/^\d{8}T\d{6}Z-[0-9a-f]{8}$/.test(String(since))) return {};
  const firstId = list.data[0]?.id ?? "";
  const known = { [snapshot["Snapshot-Id"]]: "", [earlierSnapshot]: firstId };
  return { "Snapshot-Changed": known[String(since)] ?? "*" };
}

server.listen(Number(process.argv[2] ?? 4010), "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  console.log(`http://127.0.0.1:${port} answers with ${list.meta.count} programs; Ctrl-C ends it.`);
});
