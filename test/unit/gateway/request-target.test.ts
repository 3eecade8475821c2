import fc from "fast-check";
import { expect, test } from "vitest";
import { originForm, requestTarget } from "../../../gateway/request-target.ts";

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
