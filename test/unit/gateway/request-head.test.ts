import { expect, test } from "vitest";
import { requestHead } from "../../../gateway/request-head.ts";

test("names are read without regard to case, and every line of a repeated header counts", () => {
  const head = requestHead(
    [
      ["HOST", "a"],
      ["authorization", "one"],
      ["Authorization", "two"],
      ["X-REQUEST-ID", "r"],
      ["accept-encoding", "gzip"],
      ["Accept-Encoding", "br"],
      ["host", "b"],
    ].flat(),
  );
  expect(head).toEqual({
    authorization: ["one", "two"],
    requestId: ["r"],
    acceptEncoding: "gzip,br",
    hostCount: 2,
    hasBody: false,
    hasUpgrade: false,
    snapshotSince: [],
  });
});

test("names of the same length are not mistaken for each other", () => {
  expect(
    requestHead(["Ghost", "a", "Hosts", "b", "X-Request-Ip", "c", "Authorizatiom", "d", "Upgrad3", "e"]),
  ).toEqual({
    authorization: [],
    requestId: [],
    acceptEncoding: "",
    hostCount: 0,
    hasBody: false,
    hasUpgrade: false,
    snapshotSince: [],
  });
});

test("a body is announced by a length other than zero or by a transfer coding", () => {
  expect(requestHead(["Content-Length", "0"]).hasBody).toBe(false);
  expect(requestHead(["Content-Length", "000"]).hasBody).toBe(false);
  expect(requestHead(["Content-Length", "7"]).hasBody).toBe(true);
  expect(requestHead(["Transfer-Encoding", "chunked"]).hasBody).toBe(true);
});
