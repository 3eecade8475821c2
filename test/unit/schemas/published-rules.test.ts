import { describe, expect, test } from "vitest";
import {
  isErrorResponse,
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListItem,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import { validate } from "../../../schemas/validate.ts";
import { example, removed, replaced, valueAt } from "./mutations.ts";

const detail = example("program-detail");
const blanks = [
  "",
  " ",
  "\t\r\n\v\f",
  "\u0085",
  "\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000",
  "\ufeff\u200b\u2060",
];
const noDates = ["2027-02-29", "2100-02-29", "2027-04-31", "2027-00-10", "2027-13-01", "2027-01-00"];
const misshapenDates = ["0000-01-01", "2027-1-1", "2027-01-01T00:00:00Z", "10000-01-01", "", " 2027-01-01"];
const badUrls = [
  "http://a.example/x",
  "//a.example/x",
  "https:a.example",
  "https://",
  "https:///x",
  "ftp://a",
];
const unsafeUrls = [
  "https://user@a.example/",
  "https://u:p@a.example/",
  "https://a.example\\@b",
  "https://a b/",
  "https://a.example/ü",
  "https://ü.example/",
  "https://a.example/a[1]",
  "https://a.example/{id}",
  "https://a.example/%zz",
  "https://a.example/#a#b",
  "https://[::1",
  "",
];
const listFields = ["id", "name", "status", "departureDate", "returnDate", "durationDays", "duration"];
const furtherListFields = ["capacity", "currency", "category", "guide", "prices"];

/** Where in a detail, what the tables allow there, and what they do not. */
const rules: readonly {
  readonly at: string;
  readonly fits: readonly unknown[];
  readonly not: readonly unknown[];
}[] = [
  {
    at: "/id",
    fits: ["a", "0", "A.b_c~d-e", "a".repeat(128), "constructor"],
    not: [null, 7, "", ".a", "-a", "_a", "~a", "a b", "a/b", "é", "a".repeat(129), "a\n", "__proto__"],
  },
  { at: "/name", fits: ["x", " x ", "رحلة", "\ufeffx"], not: [null, 1, ...blanks] },
  { at: "/status", fits: ["active"], not: [null, "Active", "ended", "draft", ""] },
  {
    at: "/departureDate",
    fits: [null, "0001-01-01", "9999-12-31", "2028-02-29", "2000-02-29"],
    not: [20270101, ...noDates, ...misshapenDates],
  },
  { at: "/returnDate", fits: [null, "2027-05-08"], not: [false, ...noDates, ...misshapenDates] },
  { at: "/durationDays", fits: [null, 1, 400], not: [0, -1, 1.5, "8"] },
  { at: "/duration", fits: [null], not: [8, "8", []] },
  { at: "/duration/days", fits: [1, 400], not: [null, 0, 1.5, "1"] },
  { at: "/duration/nights", fits: [0, 399], not: [null, -1, 0.5, "0"] },
  { at: "/capacity", fits: [], not: [null, 32, []] },
  { at: "/capacity/total", fits: [0, 1000], not: [null, -1, 1.5, "32"] },
  { at: "/capacity/used", fits: [0, 1000], not: [null, -1, 1.5, "32"] },
  { at: "/capacity/remaining", fits: [0, 1000], not: [null, -1, 1.5, "32"] },
  { at: "/currency", fits: [null, "EUR"], not: [978, "eur", "EURO", "EU", "€", ""] },
  { at: "/category", fits: [null, { type: null, subtype: "x" }], not: ["Culture", [], 1] },
  { at: "/category/type", fits: [null, "Culture"], not: [1, ...blanks] },
  { at: "/category/subtype", fits: [null, "Food"], not: [1, ...blanks] },
  { at: "/guide", fits: [null, { name: "Inês" }], not: ["Inês", [], true] },
  { at: "/guide/name", fits: ["Inês"], not: [null, 1, ...blanks] },
  { at: "/prices", fits: [{ startingAmount: null, rooms: [], children: [] }], not: [null, []] },
  { at: "/prices/startingAmount", fits: [null, 0.01, 1240.5], not: [0, -1, "1240.5"] },
  { at: "/prices/rooms", fits: [[]], not: [null, {}] },
  { at: "/prices/rooms/0/occupancy", fits: [1, 8], not: [null, 0, -1, 1.5, "2"] },
  { at: "/prices/rooms/0/amount", fits: [0.01, 1690], not: [null, 0, -0.01, "1690"] },
  { at: "/prices/children", fits: [[]], not: [null, {}] },
  { at: "/prices/children/0/minAge", fits: [0, 17], not: [null, -1, 0.5, "0"] },
  { at: "/prices/children/0/maxAge", fits: [0, 17], not: [null, -1, 0.5, "0"] },
  { at: "/prices/children/0/amount", fits: [0, 890.25], not: [null, -0.01, "0"] },
  { at: "/description", fits: [null, "x"], not: [1, ...blanks] },
  { at: "/departurePoint", fits: [null, "x"], not: [1, ...blanks] },
  { at: "/hotels", fits: [[]], not: [null, {}] },
  { at: "/hotels/0", fits: [], not: [null, "Casa", []] },
  { at: "/hotels/0/name", fits: [null, "x"], not: [1, ...blanks] },
  { at: "/hotels/0/location", fits: [null, "x"], not: [1, ...blanks] },
  { at: "/hotels/0/checkIn", fits: [null, "2027-05-08"], not: [1, ...noDates] },
  { at: "/hotels/0/checkOut", fits: [null, "2027-05-08"], not: [1, ...noDates] },
  { at: "/hotels/0/starLevel", fits: [null, 1, 5], not: [0, 6, 3.5, "4"] },
  { at: "/marketingTags", fits: [null, [], ["x"]], not: ["x", {}] },
  { at: "/marketingTags/0", fits: ["x"], not: [null, 1, ...blanks] },
  { at: "/staff", fits: [null, { leadGuide: null, teachers: [] }], not: ["x", []] },
  { at: "/staff/leadGuide", fits: [null, { name: "x" }], not: ["x", []] },
  { at: "/staff/leadGuide/name", fits: ["x"], not: [null, ...blanks] },
  { at: "/staff/teachers", fits: [[]], not: [null, {}] },
  { at: "/staff/teachers/0/name", fits: ["x"], not: [null, 1, ...blanks] },
  { at: "/staff/teachers/0/gender", fits: [null, "male", "female"], not: ["Male", "other", "", 1] },
  { at: "/staff/teachers/0/roleLabel", fits: [null, "x"], not: [1, ...blanks] },
  { at: "/accommodation", fits: [null, { stays: [], description: "x" }], not: ["x", []] },
  { at: "/accommodation/stays", fits: [[]], not: [null, {}] },
  { at: "/accommodation/stays/0/starLevel", fits: [null, 1, 5], not: [0, 6, 3.5, "4"] },
  { at: "/accommodation/description", fits: [null, "x"], not: [1, ...blanks] },
  { at: "/transport", fits: [null], not: ["x", []] },
  { at: "/transport/flights", fits: [[]], not: [null, {}] },
  { at: "/transport/flights/0/airline", fits: [], not: [null, "LH", []] },
  { at: "/transport/flights/0/airline/code", fits: ["LH"], not: [null, 1, ...blanks] },
  {
    at: "/transport/flights/0/airline/logoUrl",
    fits: [
      null,
      "https://a.example",
      "https://a.example:8443/x?y#z",
      "https://[2001:db8::1]/%C3%BC?a=b&c#!$'()*+,;:@",
    ],
    not: [1, ...badUrls, ...unsafeUrls],
  },
  { at: "/media", fits: [null, { coverUrl: null, galleryUrls: [] }], not: ["https://a.example/", []] },
  { at: "/media/coverUrl", fits: [null, "https://a.example/@x"], not: [1, ...badUrls, ...unsafeUrls] },
  { at: "/media/galleryUrls", fits: [[]], not: [null, {}] },
  { at: "/media/galleryUrls/0", fits: ["https://a.example/"], not: [null, ...badUrls, ...unsafeUrls] },
  { at: "/content", fits: [null], not: ["x", []] },
  { at: "/content/included", fits: [[]], not: [null, {}] },
  { at: "/content/included/0", fits: ["x"], not: [null, 1, ...blanks] },
  { at: "/content/excluded", fits: [[]], not: [null, {}] },
  { at: "/content/excluded/0", fits: ["x"], not: [null, 1, ...blanks] },
  { at: "/content/visits", fits: [[]], not: [null, {}] },
  { at: "/content/visits/0", fits: ["x"], not: [null, 1, ...blanks] },
  { at: "/content/accommodationDescription", fits: [null, "x"], not: [1, ...blanks] },
  { at: "/content/faq", fits: [[]], not: [null, {}] },
  { at: "/content/faq/0/question", fits: ["x"], not: [null, 1, ...blanks] },
  { at: "/content/faq/0/answer", fits: ["x"], not: [null, 1, ...blanks] },
  { at: "/content/itinerary", fits: [[]], not: [null, {}] },
  { at: "/content/itinerary/0/title", fits: ["x"], not: [null, 1, ...blanks] },
  { at: "/content/itinerary/0/description", fits: [null, "x"], not: [1, ...blanks] },
];

const isListField = (at: string) => [...listFields, ...furtherListFields].includes(at.split("/")[1] ?? "");

describe.each(rules)("$at of a detail", ({ at, fits, not }) => {
  const path = `/data${at}`;

  test.each(fits.map(shown))("may be %s", (_, value) => {
    expect(validate(isProgramDetailResponse, replaced(detail, path, value))).toMatchObject({ valid: true });
  });

  test.each(not.map(shown))("may not be %s", (_, value) => {
    const result = validate(isProgramDetailResponse, replaced(detail, path, value));
    expect(result).toMatchObject({ valid: false, violation: { path } });
  });
});

describe.each(rules.filter(({ at }) => isListField(at)))("$at of a list item", ({ at, fits, not }) => {
  const item = valueAt(example("program-list"), "/data/0");

  test.each(fits.map(shown))("may be %s", (_, value) => {
    expect(validate(isProgramListItem, replaced(item, at, value))).toMatchObject({ valid: true });
  });

  test.each(not.map(shown))("may not be %s", (_, value) => {
    const result = validate(isProgramListItem, replaced(item, at, value));
    expect(result).toMatchObject({ valid: false, violation: { path: at } });
  });
});

test("every field of the detail has a rule above", () => {
  const fields = Object.keys(valueAt(detail, "/data") ?? {});
  expect(new Set(rules.map(({ at }) => at.split("/")[1]))).toEqual(new Set(fields));
});

test("a detail's fields that the list lacks are refused in the list", () => {
  const list = replaced(example("program-list"), "/data/0/description", null);
  const violation = { path: "/data/0", expected: 'have no key "description"' };
  expect(validate(isProgramListResponse, list)).toMatchObject({ valid: false, violation });
});

describe("the list response", () => {
  test("may be empty", () => {
    expect(validate(isProgramListResponse, { data: [], meta: { count: 0 } })).toMatchObject({ valid: true });
  });

  test.each([
    ["/meta/count", -1],
    ["/meta/count", 1.5],
    ["/meta/count", null],
    ["/meta", null],
    ["/data", null],
    ["/data/0", null],
    ["/data/1/capacity/remaining", -1],
  ])("is refused with %s = %j", (path, value) => {
    const result = validate(isProgramListResponse, replaced(example("program-list"), path, value));
    expect(result).toMatchObject({ valid: false, violation: { path } });
  });
});

describe("the legacy response", () => {
  const objects = example("legacy-programs");

  test.each([
    ["/programs/0/capacity", 0],
    ["/programs/0/capacity", 32],
    ["/programs", []],
  ])("may have %s = %j", (path, value) => {
    expect(validate(isLegacyProgramsResponse, replaced(objects, path, value))).toMatchObject({ valid: true });
  });

  test.each([
    ["/success", false],
    ["/success", null],
    ["/programs", null],
    ["/programs/0/name", ""],
    ["/programs/0/capacity", -1],
    ["/programs/0/capacity", 1.5],
    ["/programs/0/capacity", null],
    ["/programs/0/capacity", "32"],
    ["/programs/0/capacity/total", -1],
  ])("is refused with %s = %j", (path, value) => {
    const result = validate(isLegacyProgramsResponse, replaced(objects, path, value));
    expect(result).toMatchObject({ valid: false, violation: { path } });
  });
});

describe("the error response", () => {
  const messages = {
    invalid_request: "Invalid request",
    unauthorized: "Authentication required",
    forbidden: "Insufficient scope",
    not_found: "Resource not found",
    method_not_allowed: "Method not allowed",
    rate_limit_exceeded: "Rate limit exceeded",
    internal_error: "Internal error",
  };
  const sample = { error: { code: "not_found", message: "Resource not found" }, requestId: "r-1" };

  test.each(Object.entries(messages))("pairs the code %s with the message %j only", (code, message) => {
    for (const other of Object.values(messages)) {
      const result = validate(isErrorResponse, replaced(sample, "/error", { code, message: other }));
      if (other === message) expect(result).toMatchObject({ valid: true });
      else expect(result).toMatchObject({ violation: { path: "/error/message" } });
    }
  });

  test("has exactly the seven codes of the specification", () => {
    const result = validate(isErrorResponse, replaced(sample, "/error/code", "teapot"));
    const expected = `be ${Object.keys(messages)
      .map((code) => JSON.stringify(code))
      .join(" or ")}`;
    expect(result).toMatchObject({ violation: { path: "/error/code", expected, found: '"teapot"' } });
  });

  test.each(["a", "A.b_c-9", "x".repeat(128)])("may have the request id %s", (requestId) => {
    expect(validate(isErrorResponse, { ...sample, requestId })).toMatchObject({ valid: true });
  });

  test.each(["", "a b", "a~", "x".repeat(129), "é", null, 7])(
    "may not have the request id %j",
    (requestId) => {
      const result = validate(isErrorResponse, { ...sample, requestId });
      expect(result).toMatchObject({ violation: { path: "/requestId" } });
    },
  );

  test("needs an error object", () => {
    expect(validate(isErrorResponse, removed(sample, "/error"))).toMatchObject({ valid: false });
    expect(validate(isErrorResponse, { ...sample, error: null })).toMatchObject({
      violation: { path: "/error" },
    });
  });
});

function shown(value: unknown): readonly [string, unknown] {
  return [JSON.stringify(value), value];
}
