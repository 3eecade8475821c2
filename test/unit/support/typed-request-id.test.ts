import { describe, expect, test } from "vitest";
import { isKeptRequestId, requestIdIn } from "../../../cli/operate/gateway-log/find-requests.ts";

describe("a request id as somebody typed it", () => {
  test.each([
    " req-1 ",
    '"req-1"',
    '"req-1",',
    "'req-1'",
    "„req-1“",
    "«req-1»",
    "`req-1`",
    "\treq-1\r\n",
    "\u00a0req-1\u00a0",
  ])("%j is meant without what is around it", (typed) => {
    expect(requestIdIn(typed)).toBe("req-1");
  });

  test.each(["", '"', " ' ' "])("%j leaves nothing", (typed) => {
    expect(requestIdIn(typed)).toBe("");
  });

  test("keeps what an id may hold, and costs what its size costs", () => {
    expect(requestIdIn("._-Az09-_.")).toBe("._-Az09-_.");
    expect(requestIdIn(`${" ".repeat(1_000_000)}a${" ".repeat(1_000_000)}b`)).toHaveLength(1_000_002);
  });

  test.each([
    ["a", true],
    ["a".repeat(128), true],
    ["x-[token]-y", true],
    ["", false],
    ["a".repeat(129), false],
    ["a b", false],
    ["a/b", false],
    ["ü", false],
  ])("W40 %j is one that a gateway keeps: %s", (id, expected) => {
    expect(isKeptRequestId(id)).toBe(expected);
  });
});
