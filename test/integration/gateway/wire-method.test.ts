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

/** The parser gives such a message up: the connection ends with the answer. */
function unknownMethod(name: string, send: string, also: AnswerCheck = () => {}): WireCase {
  return {
    name: `unknown method: ${name}`,
    send,
    answers: [notAllowed],
    ending: "closed",
    also(answer) {
      allowsGet(answer);
      also(answer);
    },
  };
}

describeWire("W13 check 3: the method is GET", [
  ...["POST", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"].map((name) =>
    method(`${name} without a token`, `${name} /v1/programs`),
  ),
  method("POST with a token", "POST /v1/programs", authorized),
  method(
    "W10 POST with a bad token: the method comes first",
    "POST /v1/programs",
    "Authorization: Bearer nonsense",
  ),
  method("PUT of an ill-formed id: the method comes before the id", "PUT /v1/programs/%zz", authorized),
  method(
    "a CORS preflight gets no CORS header",
    "OPTIONS /v1/programs",
    "Origin: https://shop.example",
    "Access-Control-Request-Method: GET",
    "Access-Control-Request-Headers: authorization",
  ),
  method("TRACE echoes nothing", "TRACE /v1/programs", "X-Secret: trace-canary"),
  {
    name: "W13 HEAD of the list",
    send: request("HEAD /v1/programs", authorized),
    answers: ["405 without body"],
    ending: "open",
    bodiless: true,
    also: allowsGet,
  },
  {
    name: "HEAD without a Host",
    send: "HEAD /v1/programs HTTP/1.1\r\n\r\n",
    answers: ["400 without body"],
    ending: "closed",
    bodiless: true,
  },
  {
    name: "POST to an unknown path: the path comes before the method",
    send: request("POST /v1/unknown"),
    answers: ["404 not_found"],
    ending: "open",
  },
  unknownMethod("W13 a method that the parser does not know", request("BREW /v1/programs")),
  unknownMethod("with a token", request("BREW /v1/programs", authorized)),
  unknownMethod("that begins like GET", request("GETX /v1/programs/p1?a=b")),
  unknownMethod("of an ill-formed id: the method comes before the id", request("BREW /v1/programs/%zz")),
  unknownMethod("with the absolute form", request("BREW http://a.example/v1/programs")),
  unknownMethod("over HTTP/1.0 without a Host", "BREW /v1/programs HTTP/1.0\r\n\r\n"),
  unknownMethod("with a body", `${request("BREW /v1/programs", "Content-Length: 4")}brew`),
  unknownMethod("behind empty lines", `\r\n\r\n${request("BREW /v1/programs")}`),
  unknownMethod("whose headers are still to come", "BREW /v1/programs HTTP/1.1\r\n"),
  unknownMethod("of the legacy resource", request("BREW /api/v1/partner/programs"), (answer) => {
    expect(answer?.header("deprecation")).toMatch(/^@\d+$/);
    expect(answer?.header("link")).toContain("successor-version");
  }),
  unknownMethod("its id is echoed", request("BREW /v1/programs", "X-Request-Id: brew-1"), (answer) =>
    expect(answer?.header("x-request-id")).toBe("brew-1"),
  ),
  ...["/unknown", "/", "/v1/programs/", "/V1/programs", "*", "brew"].map((path) => ({
    name: `W13 an unknown method on ${path}`,
    send: request(`BREW ${path}`),
    answers: ["404 not_found"],
    ending: "closed" as const,
  })),
  ...[
    ["without a Host", "BREW /v1/programs HTTP/1.1\r\n\r\n"],
    ["with two Hosts", request("BREW /v1/programs", "Host: b.example")],
    ["of another version", "BREW /v1/programs HTTP/2.0\r\nHost: a\r\n\r\n"],
    ["that is no token", request("BR(EW /v1/programs")],
    ["with a fragment in the target", request("BREW /v1/programs#a")],
    ["with a malformed header line", request("BREW /v1/programs", "Broken")],
    ["with a control character in a header", request("BREW /v1/programs", "X-A: \x01")],
    [
      "with length and coding",
      request("BREW /v1/programs", "Content-Length: 1", "Transfer-Encoding: chunked"),
    ],
    ["that the packet does not end", "BREW /v1/prog"],
  ].map(([name, send = ""]) => ({
    name: `W15 an unknown method in a message ${name}`,
    send,
    answers: ["400 invalid_request"],
    ending: "closed" as const,
  })),
  {
    name: "a body that looks like a request of an unknown method",
    send: [
      request("POST /unknown", "Transfer-Encoding: chunked"),
      "BREW /v1/programs HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
    answers: ["400 invalid_request"],
    ending: "closed",
  },
  {
    name: "W13 CONNECT to another host",
    send: "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\nX-Request-Id: tunnel\r\n\r\n",
    answers: [notAllowed],
    ending: "closed",
    also: (answer) => {
      expect([answer?.header("allow"), answer?.header("x-request-id")]).toEqual(["GET", "tunnel"]);
    },
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
]);
