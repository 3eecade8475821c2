import { describe, expect, test } from "vitest";
import {
  isErrorResponse,
  isLegacyProgram,
  isProgramDetailResponse,
} from "../../../schemas/generated/validators-published.ts";
import { isManifestDocument, isTokensDocument } from "../../../schemas/generated/validators-stored.ts";
import { type CompiledValidator, validate } from "../../../schemas/validate.ts";
import { example, replaced } from "./mutations.ts";
import { manifest, tokens } from "./stored-samples.ts";

const detail = example("program-detail");

function message(isDocument: CompiledValidator<unknown>, document: unknown): string | undefined {
  const result = validate(isDocument, document);
  return result.valid ? undefined : result.violation.message;
}

describe("a violation's message names the place, the rule and the value:", () => {
  test.each([
    ["/data/hotels/0/starLevel", 6, "must be <= 5, but is 6"],
    ["/data/prices/rooms/0/amount", 0, "must be > 0, but is 0"],
    ["/data/capacity/used", "21", 'must be an integer, but is "21"'],
    ["/data/capacity/used", null, "must be an integer, but is null"],
    ["/data/status", "ended", 'must be one of "active", but is "ended"'],
    [
      "/data/departureDate",
      "2027-02-29",
      'must be a calendar date, `YYYY-MM-DD`, that exists, but is "2027-02-29"',
    ],
    ["/data/name", " ", 'must be text with at least one character that shows, but is " "'],
    ["/data/prices", [1], "must be an object, but is an array of 1"],
    ["/data/hotels/0", {}, 'must have the key "name"'],
    ["/data/media", "x", 'must be an object or null, but is "x"'],
    ["/data/staff/leadGuide", 5, "must be an object or null, but is 5"],
  ])("%s = %j", (path, value, rest) => {
    expect(message(isProgramDetailResponse, replaced(detail, path, value))).toBe(`${path} ${rest}`);
  });

  test("the document itself", () => {
    expect(message(isProgramDetailResponse, null)).toBe("the document must be an object, but is null");
  });

  test("a repeated element", () => {
    const document = replaced(tokens, "/tokens/0/scopes", ["a", "b", "a"]);
    expect(message(isTokensDocument, document)).toBe(
      "/tokens/0/scopes must have no element twice, but elements 0 and 2 are equal",
    );
  });
});

describe("of several alternatives, the one that the value resembles most is held against it:", () => {
  const error = { error: { code: "not_found", message: "Insufficient scope" }, requestId: "r" };

  test("an error by its code", () => {
    expect(message(isErrorResponse, error)).toBe(
      '/error/message must be "Resource not found", but is "Insufficient scope"',
    );
  });

  test("a legacy capacity as the object or the total that it tries to be", () => {
    const capacity = { total: 1, used: 0 };
    expect(message(isLegacyProgram, { name: "x", capacity })).toBe('/capacity must have the key "remaining"');
    expect(message(isLegacyProgram, { name: "x", capacity: -1 })).toBe("/capacity must be >= 0, but is -1");
    expect(message(isLegacyProgram, { name: "x", capacity: "1" })).toBe(
      '/capacity must be an object or an integer, but is "1"',
    );
  });
});

describe("a violation stays short whatever the document holds:", () => {
  test.each(["x".repeat(61), "x".repeat(1_000_000), '"'.repeat(60), "\u0000".repeat(59), "🧭".repeat(59)])(
    "the found text has at most 60 characters (%#)",
    (long) => {
      const result = validate(isProgramDetailResponse, replaced(detail, "/data/currency", long));
      if (result.valid) throw new Error("the currency should be refused");
      expect(result.violation.found.length).toBeLessThanOrEqual(60);
      expect(result.violation.found).toMatch(/^".*…"$/s);
    },
  );

  test("objects and arrays are not printed", () => {
    const secret = { deep: ["canary"] };
    expect(message(isProgramDetailResponse, replaced(detail, "/data/name", secret))).not.toContain("canary");
  });
});

test("a key with a slash or a tilde is escaped in the path (RFC 6901)", () => {
  const programs = Object.fromEntries([["a~b", { ...manifest.list, size: 0 }]]);
  const result = validate(isManifestDocument, { ...manifest, programs });
  expect(result).toMatchObject({ violation: { path: "/programs/a~0b/size", found: "0" } });
});
