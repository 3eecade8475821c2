import { describe, expect, test } from "vitest";
import { published } from "../../support/program-source.ts";

const full = {
  departureDate: "2027-05-01",
  returnDate: "2027-05-08",
  currency: "EUR",
  categoryType: "hiking",
  categorySubtype: "coast",
  guideName: "Ada",
  description: "text",
  departurePoint: "Haifa",
  marketingTags: ["new"],
  accommodationDescription: "rooms",
  coverUrl: "https://media.example/c.jpg",
  galleryUrls: ["https://media.example/g.jpg"],
  included: ["tea"],
  excluded: ["wine"],
  visits: ["castle"],
  roomPrices: [[2, "100"]],
  childPrices: [[0, 2, "0"]],
  hotelStays: [["Inn", "Rome", "2027-05-01", "2027-05-02", 3]],
  enrollments: [["passenger", "confirmed", 3]],
  staff: [
    ["lead_guide", "Lea", null, null],
    ["teacher", "Tom", "male", "history"],
  ],
  flights: [["XX", "https://media.example/xx.svg"]],
  itinerary: [["Day 1", "walk"]],
  faq: [["Q", "A"]],
} as const;

describe("keys of the specification's tables", () => {
  test("D5 every key is emitted, in the tables' order, when all is known", () => {
    const { detail, warnings } = published(full);
    expect(warnings).toEqual([]);
    expect(JSON.stringify(detail)).toBe(
      JSON.stringify({
        id: "p-1",
        name: "Coastal Hike",
        status: "active",
        departureDate: "2027-05-01",
        returnDate: "2027-05-08",
        durationDays: 8,
        duration: { days: 8, nights: 7 },
        capacity: { total: 20, used: 3, remaining: 17 },
        currency: "EUR",
        category: { type: "hiking", subtype: "coast" },
        guide: { name: "Ada" },
        prices: {
          startingAmount: 100,
          rooms: [{ occupancy: 2, amount: 100 }],
          children: [{ minAge: 0, maxAge: 2, amount: 0 }],
        },
        description: "text",
        departurePoint: "Haifa",
        hotels: [
          { name: "Inn", location: "Rome", checkIn: "2027-05-01", checkOut: "2027-05-02", starLevel: 3 },
        ],
        marketingTags: ["new"],
        staff: {
          leadGuide: { name: "Lea" },
          teachers: [{ name: "Tom", gender: "male", roleLabel: "history" }],
        },
        accommodation: {
          stays: [
            { name: "Inn", location: "Rome", checkIn: "2027-05-01", checkOut: "2027-05-02", starLevel: 3 },
          ],
          description: "rooms",
        },
        transport: { flights: [{ airline: { code: "XX", logoUrl: "https://media.example/xx.svg" } }] },
        media: {
          coverUrl: "https://media.example/c.jpg",
          galleryUrls: ["https://media.example/g.jpg"],
        },
        content: {
          included: ["tea"],
          excluded: ["wine"],
          visits: ["castle"],
          accommodationDescription: "rooms",
          faq: [{ question: "Q", answer: "A" }],
          itinerary: [{ title: "Day 1", description: "walk" }],
        },
      }),
    );
  });

  test("D5 null stands for an absent scalar or object, [] for an absent array, when nothing is known", () => {
    const { detail, warnings } = published();
    expect(warnings).toEqual([]);
    expect(JSON.stringify(detail)).toBe(
      JSON.stringify({
        id: "p-1",
        name: "Coastal Hike",
        status: "active",
        departureDate: null,
        returnDate: null,
        durationDays: null,
        duration: null,
        capacity: { total: 20, used: 0, remaining: 20 },
        currency: null,
        category: null,
        guide: null,
        prices: { startingAmount: null, rooms: [], children: [] },
        description: null,
        departurePoint: null,
        hotels: [],
        marketingTags: null,
        staff: null,
        accommodation: null,
        transport: null,
        media: null,
        content: null,
      }),
    );
  });

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
