import fc from "fast-check";
import { expect, test } from "vitest";
import { refusedHead, refusedRequestId } from "../../../gateway/refuse-before-routing.ts";
import { requestIdOf } from "../../../gateway/request-head.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("W40 a single well-formed id is echoed; anything else gets a fresh UUID", () => {
  expect(requestIdOf(["Order-7_a.b"])).toBe("Order-7_a.b");
  expect(requestIdOf(["a".repeat(128)])).toBe("a".repeat(128));
  for (const values of [[], [""], ["a b"], ["a".repeat(129)], ["a", "a"], ["\u00e9"], ["a\n"]]) {
    expect(requestIdOf(values)).toMatch(uuid);
  }
  expect(requestIdOf([])).not.toBe(requestIdOf([]));
});

test("whatever a client sends, the id that is answered can stand in a header and in JSON as it is", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (values) => {
      expect(requestIdOf(values)).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    }),
  );
});

const idOf = (text: string, isWhole: boolean): string =>
  refusedRequestId(refusedHead(Buffer.from(text, "latin1")), isWhole);

test("a refused request's id is read from the packet that begins with it", () => {
  const packet = "GET / HTTP/1.1\r\nX-Request-Id:  abc \t\r\nBroken\r\n\r\nX-Request-Id: behind\r\n";
  expect(idOf(packet, true)).toBe("abc");
  expect(idOf(packet, false)).toBe("abc");
  expect(idOf(`\r\n\r\n${packet}`, true)).toBe("abc");
  expect(idOf("nonsense\nx-request-id: abc\n\n", true)).toBe("abc");
});

test("a refused request's id is not guessed from the middle of a header section, from two lines or from nothing", () => {
  for (const text of ["X-Request-Id: abc\r\n\r\n", "Via: 1.1 x\r\nX-Request-Id: abc\r\n\r\n"]) {
    expect(idOf(text, false)).toMatch(uuid);
  }
  for (const text of [
    "GET / HTTP/1.1\r\nX-Request-Id: abc\r\nX-Request-Id: abc\r\n\r\n",
    "GET / HTTP/1.1\r\nA: b\r\n\r\nX-Request-Id: body\r\n",
    "GET / HTTP/1.1\r\nA: b\rX-Request-Id: within\r\n\r\n",
    "GET / HTTP/1.1\r\nX-Request-Id: cut-by-the-pac",
    "",
  ]) {
    expect(idOf(text, true)).toMatch(uuid);
  }
});
