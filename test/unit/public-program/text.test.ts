import { describe, expect, test } from "vitest";
import { shownValue } from "../../../cli/publish/public-program/problem.ts";
import { published } from "../../support/program-source.ts";

/** Every code point with the Unicode property White_Space. */
const whiteSpace =
  "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000";

describe("texts", () => {
  test.each(["", whiteSpace, ...whiteSpace])("D7 %j counts as absent", (description) => {
    expect(published({ description }).detail.description).toBeNull();
  });

  test.each(["\ufeff", "\u200b", "\u200c", "\u200d", "\u2060", " \u200b\ufeff\n", `${whiteSpace}\u2060`])(
    "D7 %j shows nothing, so it counts as absent",
    (blank) => {
      const { detail, warnings } = published({ description: blank, visits: [blank], coverUrl: blank });
      expect([detail.description, detail.content, detail.media]).toEqual([null, null, null]);
      expect(warnings).toHaveLength(1);
    },
  );

  test("D35 blank elements of the text arrays are dropped, each with a warning", () => {
    const { detail, warnings } = published({
      marketingTags: ["a", " "],
      included: [null, "b"],
      excluded: ["", "c"],
      visits: ["\u3000", "d"],
    });
    expect(detail.marketingTags).toEqual(["a"]);
    expect(detail.content).toMatchObject({ included: ["b"], excluded: ["c"], visits: ["d"] });
    expect(warnings).toEqual([
      "text_missing marketingTags[1] =  ",
      "text_missing content.included[0] = null",
      "text_missing content.excluded[0] = ",
      "text_missing content.visits[0] =  ",
    ]);
  });
});

test("D35 an element whose required text is blank is dropped with a warning: a FAQ without a question or an answer", () => {
  const { detail, warnings } = published({
    faq: [
      ["Q1", "A1"],
      ["Q2", " "],
      [null, "A3"],
      ["", ""],
    ],
  });
  expect(detail.content?.faq).toEqual([{ question: "Q1", answer: "A1" }]);
  expect(warnings).toEqual([
    "text_missing content.faq[1].answer = null",
    "text_missing content.faq[2].question = null",
    "text_missing content.faq[3].question = null",
  ]);
});

describe("values as a report shows them", () => {
  test("never hold half of a surrogate pair", () => {
    for (let lead = 55; lead < 62; lead += 1) {
      const shown = shownValue(`${"x".repeat(lead)}😀😀😀`) ?? "";
      expect(Buffer.from(shown).toString()).toBe(shown);
    }
  });

  test("hold nothing that could steer the terminal that shows them", () => {
    expect(shownValue("a\u001b[2Jb\u0007c\u009bd\u202ee\u2066f")).toBe(
      "a\\u001b[2Jb\\u0007c\\u009bd\\u202ee\\u2066f",
    );
    expect(shownValue("رحلة (يوم)")).toBe("رحلة (يوم)");
  });
});

// The keys and their order, with all known and with nothing known, are in `docs/exchanges.json`.
describe("what is absent", () => {
  test("D5 an object whose parts are all blank, empty or dropped is null", () => {
    const { detail } = published({
      categoryType: " ",
      categorySubtype: "\u00a0",
      guideName: "\t",
      accommodationDescription: "\u2003",
      coverUrl: "http://plain.example/",
      galleryUrls: ["ftp://a.example/"],
      included: [" "],
      excluded: [],
      visits: [null],
      staff: [["teacher", " ", null, null]],
      flights: [[null, "https://media.example/xx.svg"]],
      hotelStays: [[" ", null, "infinity", null, 9]],
      itinerary: [["", "text"]],
      faq: [["Q", null]],
    });
    const { category, guide, accommodation, media, content, staff, transport, hotels } = detail;
    expect({ category, guide, accommodation, media, content, staff, transport, hotels }).toEqual({
      category: null,
      guide: null,
      accommodation: null,
      media: null,
      content: null,
      staff: null,
      transport: null,
      hotels: [],
    });
  });

  test.each([
    [null, null],
    [[], []],
    [[" ", null], []],
    [
      ["a", "", "b"],
      ["a", "b"],
    ],
  ])("D5 marketingTags %j gives %j: null only when the source says NULL", (marketingTags, tags) => {
    expect(published({ marketingTags }).detail.marketingTags).toEqual(tags);
  });
});
