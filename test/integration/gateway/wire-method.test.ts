import { expect } from "vitest";
import {
  type AnswerCheck,
  authorized,
  describeWire,
  request,
  type WireCase,
} from "../../support/gateway-wire.ts";

const notAllowed = "405 method_not_allowed";
const allowsGet: AnswerCheck = (answer) => expect(answer?.header("allow")).toBe("GET");

function method(name: string, line: string, ...headers: readonly string[]): WireCase {
  return { name, send: request(line, ...headers), answers: [notAllowed], ending: "open", also: allowsGet };
}

describeWire("check 3: the method is GET", [
  ...[
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "PROPFIND",
    "LINK",
    "PURGE",
    "SEARCH",
    "QUERY",
    "REPORT",
  ].map((name) => method(`${name} without a token`, `${name} /v1/programs`)),
  method("POST with a token", "POST /v1/programs", authorized),
  method(
    "POST with a bad token: the method comes first",
    "POST /v1/programs",
    "Authorization: Bearer nonsense",
  ),
  method("DELETE of a detail", "DELETE /v1/programs/p1", authorized),
  method("PUT of an ill-formed id: the method comes before the id", "PUT /v1/programs/%zz", authorized),
  method("OPTIONS of the legacy resource", "OPTIONS /api/v1/partner/programs"),
  method(
    "a CORS preflight gets no CORS header",
    "OPTIONS /v1/programs",
    "Origin: https://shop.example",
    "Access-Control-Request-Method: GET",
    "Access-Control-Request-Headers: authorization",
  ),
  method("TRACE echoes nothing", "TRACE /v1/programs", "X-Secret: trace-canary"),
  {
    name: "HEAD of the list",
    send: request("HEAD /v1/programs", authorized),
    answers: ["405 without body"],
    ending: "open",
    bodiless: true,
    also: allowsGet,
  },
  {
    name: "HEAD of an unknown path",
    send: request("HEAD /unknown"),
    answers: ["404 without body"],
    ending: "open",
    bodiless: true,
  },
  {
    name: "HEAD without a Host",
    send: "HEAD /v1/programs HTTP/1.1\r\n\r\n",
    answers: ["400 without body"],
    ending: "closed",
    bodiless: true,
  },
  ...["POST", "OPTIONS", "DELETE"].map(
    (name): WireCase => ({
      name: `${name} of an unknown path: the path comes before the method`,
      send: request(`${name} /v1/unknown`),
      answers: ["404 not_found"],
      ending: "open",
    }),
  ),
  { name: "OPTIONS *", send: request("OPTIONS *"), answers: ["404 not_found"], ending: "open" },
  {
    name: "X-HTTP-Method-Override changes nothing",
    send: request("GET /v1/programs", authorized, "X-HTTP-Method-Override: DELETE"),
    answers: ["200 list"],
    ending: "open",
  },
  {
    name: "a method that the parser does not know",
    send: request("BREW /v1/programs"),
    answers: ["400 invalid_request"],
    ending: "closed",
  },
  {
    name: "get in lower case",
    send: request("get /v1/programs", authorized),
    answers: ["400 invalid_request"],
    ending: "closed",
  },
  {
    name: "CONNECT to another host",
    send: "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\nX-Request-Id: tunnel\r\n\r\n",
    answers: [notAllowed],
    ending: "closed",
    also: (answer) => {
      expect(answer?.header("allow")).toBe("GET");
      expect(answer?.header("x-request-id")).toBe("tunnel");
    },
  },
  {
    name: "CONNECT with a token, and bytes for the tunnel",
    send: `${request("CONNECT api.example:80", authorized)}${request("GET /v1/programs", authorized)}`,
    answers: [notAllowed],
    ending: "closed",
  },
  {
    name: "an upgrade to a WebSocket is not taken up",
    send: request(
      "GET /v1/programs",
      authorized,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Key: eA==",
    ),
    answers: ["200 list"],
    ending: "closed",
  },
  {
    name: "an upgrade to HTTP/2 is not taken up",
    send: request(
      "GET /v1/programs",
      authorized,
      "Connection: Upgrade, HTTP2-Settings",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABk",
    ),
    answers: ["200 list"],
    ending: "closed",
  },
]);
