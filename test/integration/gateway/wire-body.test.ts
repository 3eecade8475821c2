import { expect } from "vitest";
import {
  type AnswerCheck,
  authorized,
  describeWire,
  request,
  type WireCase,
} from "../../support/gateway-wire.ts";

function withBody(name: string, send: string | readonly string[], answer: string): WireCase {
  return { name, send, answers: [answer], ending: "closed" };
}

const get = (...headers: readonly string[]): string => request("GET /v1/programs", authorized, ...headers);
const post = (...headers: readonly string[]): string => request("POST /v1/programs", ...headers);
const invalid = "400 invalid_request";
const notAllowed = "405 method_not_allowed";

describeWire("W7 a body is ignored, and the connection ends with the answer", [
  withBody("GET with a body", `${get("Content-Length: 5")}hello`, "200 list"),
  withBody(
    "GET with a chunked body",
    `${get("Transfer-Encoding: chunked")}5\r\nhello\r\n0\r\n\r\n`,
    "200 list",
  ),
  withBody("GET with a body that comes late", [get("Content-Length: 5"), "he", "llo"], "200 list"),
  withBody(
    "GET with a body that looks like a request",
    `${get("Content-Length: 27")}GET /unknown HTTP/1.1\r\nA: b\r\n\r\n`,
    "200 list",
  ),
  withBody("a request behind a body is not looked at", `${get("Content-Length: 2")}hi${get()}`, "200 list"),
  withBody("POST with a body", `${post("Content-Length: 5")}hello`, notAllowed),
  withBody(
    "POST with a body of 512 KiB",
    `${post(`Content-Length: ${512 * 1024}`)}${"a".repeat(512 * 1024)}`,
    notAllowed,
  ),
  {
    name: "GET that says its body is empty",
    send: get("Content-Length: 0"),
    answers: ["200 list"],
    ending: "open",
  },
  withBody(
    "both Content-Length and Transfer-Encoding",
    `${post("Content-Length: 5", "Transfer-Encoding: chunked")}0\r\n\r\n`,
    invalid,
  ),
  withBody("two Content-Lengths", `${post("Content-Length: 5", "Content-Length: 6")}hello`, invalid),
  withBody("a negative Content-Length", post("Content-Length: -1"), invalid),
  withBody("a chunk size that is no number", `${get("Transfer-Encoding: chunked")}zz\r\n\r\n`, invalid),
  {
    name: "an error in a body is answered under its request's id",
    send: `${get("Transfer-Encoding: chunked", "X-Request-Id: bad-chunk")}zz\r\n\r\n`,
    answers: [invalid],
    ending: "closed",
    also: (answer) => expect(answer?.header("x-request-id")).toBe("bad-chunk"),
  },
  {
    name: "a client that closes its side within the body",
    send: `${get("Content-Length: 5")}he`,
    halfClose: true,
    answers: [invalid],
    ending: "closed",
  },
]);

const id = (value: string): string => `X-Request-Id: ${value}`;
const inOrder: AnswerCheck = (...answers) =>
  expect(answers.map((answer) => answer.header("x-request-id"))).toEqual(
    answers.map((_, at) => String(at + 1)),
  );

describeWire("W15 pipelined requests are answered in order, each under its own id", [
  {
    name: "fifty requests in one packet",
    send: Array.from({ length: 50 }, (_, at) =>
      request("GET /v1/programs/p2", authorized, id(String(at + 1))),
    ).join(""),
    answers: Array(50).fill("200 detail p2"),
    ending: "open",
    also: inOrder,
  },
  {
    name: "a quick answer does not overtake a slow one",
    send:
      request("GET /v1/programs", "Authorization: Bearer {unpublished}", id("1")) +
      request("GET /unknown", id("2")),
    answers: ["500 internal_error", "404 not_found"],
    ending: "open",
    also: inOrder,
  },
  {
    name: "garbage behind a request: the answer is given, the error is not",
    send: `${get(id("1"))}GARBAGE\r\n\r\n`,
    answers: ["200 list"],
    ending: "closed",
    also: inOrder,
  },
  {
    name: "garbage behind a request and one with a body: both answers are given, the error is not",
    send: `${get(id("1"))}${post(id("2"), "Content-Length: 2")}hiGARBAGE\r\n\r\n`,
    answers: ["200 list", notAllowed],
    ending: "closed",
    also: inOrder,
  },
  {
    name: "a request without a Host behind a good one",
    send: `${get(id("1"))}GET /v1/programs HTTP/1.1\r\n${id("2")}\r\n\r\n${get(id("3"))}`,
    answers: ["200 list", invalid],
    ending: "closed",
    also: inOrder,
  },
  {
    name: "CONNECT behind a request: the answer is given, the refusal is not",
    send: get(id("1")) + request("CONNECT evil.example:443"),
    answers: ["200 list"],
    ending: "closed",
    also: inOrder,
  },
]);
