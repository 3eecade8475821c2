import type { ProgramWithId } from "../public-program/program-source.ts";
import { everything, rightToLeft } from "./full-programs.ts";
import { bareProgram, sandboxProgram } from "./sandbox-program.ts";

/** A program of the sandbox, and what it shows to the author of a partner's client. */
export interface SandboxCase {
  readonly id: string;
  readonly shows: string;
}

/**
 * The programs of the sandbox. Their ids stay, because partners' tests name them. Their values are like a company's rows, and
 * are built like them. The dates are fixed, so that one version of the generator gives the same bytes on every day.
 */
export const sandboxPrograms: readonly ProgramWithId[] = [
  everything,
  rightToLeft,
  bareProgram("sparse", { name: "Only a name is known", capacityTotal: 0 }),
  sandboxProgram("sold-out", {
    name: "Sold out, and still listed",
    enrollments: [
      ["passenger", "confirmed", 20],
      ["passenger", "cancelled", 3],
      ["staff", "confirmed", 2],
    ],
  }),
  sandboxProgram("overbooked", {
    name: "More travellers than places",
    enrollments: [["passenger", "confirmed", 23]],
  }),
  sandboxProgram("no-currency", { name: "Amounts without a currency", currency: null }),
  sandboxProgram("no-dates", { name: "Dates to be announced", departureDate: null, returnDate: null }),
  sandboxProgram("no-prices", { name: "Price on request", roomPrices: [], childPrices: [] }),
  sandboxProgram("one-day", { name: "There and back on one day", returnDate: "2031-05-03" }),
  sandboxProgram("departed", {
    name: "Left long ago, and not ended by the company",
    departureDate: "2021-05-03",
    returnDate: "2021-05-10",
  }),
  sandboxProgram("single-price", {
    name: "One price for all",
    legacyPrice: "1490.50",
    roomPrices: [],
    childPrices: [],
  }),
  sandboxProgram("awkward-text", {
    name: '<b>Bold</b> & "quoted" \\ back\tslash — 日本 🚌',
    description: "First line\nsecond line <script>alert(1)</script>\u2028third line",
    marketingTags: [],
  }),
  sandboxProgram("ID.with_all~kinds-of.characters_0", { name: "An id with every kind of character" }),
  sandboxProgram("twin-a", { name: "Twins" }),
  sandboxProgram("twin-b", { name: "Twins" }),
  sandboxProgram("cancelled", {
    name: "Cancelled: neither listed nor fetchable",
    lifecycleState: "cancelled",
  }),
];

/** What each program shows, in the order in which people should read it. */
export const sandboxCases: readonly SandboxCase[] = [
  { id: "everything", shows: "every field is filled" },
  { id: "sparse", shows: "every field that may be null or empty is" },
  { id: "sold-out", shows: "`remaining` is 0; the program stays listed" },
  { id: "overbooked", shows: "`used` is above `total`; `remaining` is 0" },
  { id: "right-to-left", shows: "Arabic texts with Latin words in them" },
  { id: "no-currency", shows: "amounts, and `currency` is null: show none" },
  { id: "no-dates", shows: "`departureDate`, `returnDate`, `durationDays` and `duration` are null" },
  { id: "no-prices", shows: "`rooms` is empty and `startingAmount` null" },
  { id: "single-price", shows: "one price, published as a room with `occupancy` 2" },
  { id: "one-day", shows: "1 day and 0 nights" },
  { id: "departed", shows: "a departure in the past: hide it yourself" },
  { id: "awkward-text", shows: "HTML, quotes, line breaks and emoji in texts: escape them" },
  { id: "ID.with_all~kinds-of.characters_0", shows: "an id that nothing may change" },
  { id: "twin-a", shows: "the same name as `twin-b`: go by the id" },
  { id: "twin-b", shows: "the same name as `twin-a`" },
  { id: "cancelled", shows: "not published: its detail is a 404" },
];
