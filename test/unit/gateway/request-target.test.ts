import fc from "fast-check";
import { expect, test } from "vitest";
import { decodedSegment, originForm, requestTarget } from "../../../gateway/request-target.ts";

test("W20 only the one spelling of a fixed path names its resource", () => {
  expect(requestTarget("/v1/programs")).toEqual({ kind: "list" });
  expect(requestTarget("/api/v1/partner/programs")).toEqual({ kind: "legacy" });
  const others = fc
    .string({ unit: "grapheme-ascii", maxLength: 40 })
    .filter((text) => !/^(?:https?:\/\/[^/?]*)?\/(?:v1|api\/v1\/partner)\/programs(?:[/?]|$)/i.test(text));
  fc.assert(
    fc.property(others, (text) => {
      expect(["unknown", "malformed"]).toContain(requestTarget(text).kind);
    }),
  );
});

test("one changed, added or missing character in a fixed path names nothing", () => {
  const path = "/v1/programs";
  const character = fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 });
  fc.assert(
    fc.property(fc.nat(path.length), fc.option(character), (at, inserted) => {
      const changed = `${path.slice(0, at)}${inserted ?? ""}${path.slice(inserted === null ? at + 1 : at)}`;
      fc.pre(changed !== path && !changed.startsWith(`${path}?`) && !changed.startsWith(`${path}/`));
      expect(["unknown", "malformed"]).toContain(requestTarget(changed).kind);
    }),
  );
});

test("W21 whatever follows /v1/programs/ in one segment is an id, as it came", () => {
  const segment = fc
    .string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 1,
    })
    .filter((text) => !/[/?#]/.test(text));
  fc.assert(
    fc.property(segment, (text) => {
      expect(requestTarget(`/v1/programs/${text}?query`)).toEqual({ kind: "detail", segment: text });
    }),
  );
});

test("W23 a scheme and an authority are passed over, and the path judged as ever", () => {
  expect(requestTarget("http://h/v1/programs")).toEqual({ kind: "list" });
  expect(requestTarget("HTTPS://u:p@h:1/v1/programs/a")).toEqual({ kind: "detail", segment: "a" });
  expect(requestTarget("http://h")).toEqual({ kind: "unknown" });
  expect(requestTarget("http://h?/v1/programs")).toEqual({ kind: "unknown" });
  expect(requestTarget("http:/v1/programs")).toEqual({ kind: "unknown" });
});

test("W24 a fragment or a byte that no target may hold makes it malformed", () => {
  for (const text of ["/v1/programs#a", "/#", "/v1/programs/\u00e9", "/\u0000", "/a b", "/\u007f"]) {
    expect(requestTarget(text)).toEqual({ kind: "malformed" });
  }
});

test("W21 a segment is decoded once, or not at all", () => {
  expect(decodedSegment("a%20b")).toBe("a b");
  expect(decodedSegment("%2541")).toBe("%41");
  for (const text of ["%", "%4", "%zz", "%ff", "%c0%ae", "%ed%a0%80"])
    expect(decodedSegment(text)).toBeUndefined();
});

test("a target keeps its meaning in origin form, which always begins with a path", () => {
  const authority = fc.stringMatching(/^[!-~]{0,12}$/);
  const target = fc.oneof(
    fc.string(),
    fc
      .tuple(
        fc.constantFrom("http://", "HTTPS://", "ftp://", "*", "/", ""),
        authority,
        fc.constantFrom(
          "/v1/programs",
          "/v1/programs/a%2Fb",
          "?x",
          "/api/v1/partner/programs?a=1",
          "/v1/#",
          "",
        ),
      )
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(target, (raw) => {
      expect(originForm(raw)).toMatch(/^\//);
      expect(requestTarget(originForm(raw))).toEqual(requestTarget(raw));
    }),
  );
});
