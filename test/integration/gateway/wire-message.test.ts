import { expect } from "vitest";
import {
  type AnswerCheck,
  authorized,
  describeWire,
  request,
  type WireCase,
} from "../../support/gateway-wire.ts";

/** Requests that are no HTTP/1.1 or 1.0: refused with the envelope, and the connection ends. */
function refused(name: string, send: string | readonly string[], also?: AnswerCheck): WireCase {
  return {
    name,
    send,
    answers: ["400 invalid_request"],
    ending: "closed",
    ...(also === undefined ? {} : { also }),
  };
}

const host = "Host: api.example\r\n";
const auth = `${authorized}\r\n`;

describeWire("W15 check 1: the bytes parse as HTTP/1.1 or 1.0", [
  {
    name: "W12 HTTP/1.0 without a Host",
    send: `GET /v1/programs HTTP/1.0\r\n${auth}\r\n`,
    answers: ["200 list"],
    ending: "closed",
  },
  {
    name: "HTTP/1.0 that asks to keep the connection",
    send: `GET /v1/programs HTTP/1.0\r\nConnection: keep-alive\r\n${auth}\r\n`,
    answers: ["200 list"],
    ending: "open",
  },
  refused("no version (HTTP/0.9)", "GET /v1/programs\r\n\r\n"),
  refused("HTTP/2.0", `GET /v1/programs HTTP/2.0\r\n${host}${auth}\r\n`),
  refused("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  refused("a TLS handshake on the plain port", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\x52"),
  refused("a space in the target", `GET /v1/ programs HTTP/1.1\r\n${host}${auth}\r\n`),
  refused("lines that end in LF alone", `GET /v1/programs HTTP/1.1\nHost: api.example\n\n`),
  refused("a NUL within a header value", `GET /v1/programs HTTP/1.1\r\n${host}X-A: a\0b\r\n\r\n`),
  refused("a folded header line", `GET /v1/programs HTTP/1.1\r\n${host}X-A: b\r\n c\r\n\r\n`),
  refused("a header line without a colon", `GET /v1/programs HTTP/1.1\r\n${host}X-A\r\n\r\n`),
  refused("W12 no Host in HTTP/1.1", `GET /v1/programs HTTP/1.1\r\n${auth}\r\n`),
  refused("W12 two equal Hosts in HTTP/1.1", request("GET /v1/programs", "Host: api.example", authorized)),
  {
    name: "an empty Host",
    send: `GET /v1/programs HTTP/1.1\r\nHost:\r\n${auth}\r\n`,
    answers: ["200 list"],
    ending: "open",
  },
  refused(
    "W60 a header section above 16 KiB",
    request("GET /v1/programs", `X-Padding: ${"a".repeat(17_000)}`, authorized),
  ),
  {
    name: "a header section of 15 KiB in thousands of lines, the token in the last",
    send: request("GET /v1/programs", ...Array(2000).fill("a:b"), authorized),
    answers: ["200 list"],
    ending: "open",
  },
  {
    name: "a request that arrives byte by byte",
    send: request("GET /v1/programs/p1", authorized),
    isBytewise: true,
    answers: ["200 detail p1"],
    ending: "open",
  },
  {
    name: "a client that closes its side after the request",
    send: request("GET /v1/programs", authorized),
    halfClose: true,
    answers: ["200 list"],
    ending: "closed",
  },
  {
    name: "a client that connects and closes without a word",
    send: "",
    halfClose: true,
    answers: [],
    ending: "closed",
  },
  refused(
    "a refused request with an X-Request-Id: it is echoed",
    request("GET /v1/programs", "X-Request-Id: broken-1", "Broken"),
    (answer) => expect(answer?.header("x-request-id")).toBe("broken-1"),
  ),
  refused(
    "a refused request with two X-Request-Ids: a fresh one",
    request("GET /v1/programs", "X-Request-Id: broken-1", "X-Request-Id: broken-1", "Broken"),
    (answer) => expect(answer?.header("x-request-id")).toMatch(/^[0-9a-f-]{36}$/),
  ),
  refused(
    "no Host, with an X-Request-Id: it is echoed",
    "GET / HTTP/1.1\r\nX-Request-Id: no-host\r\n\r\n",
    (answer) => expect(answer?.header("x-request-id")).toBe("no-host"),
  ),
]);
