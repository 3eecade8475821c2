import type { ProgramSource, ProgramWithId } from "../public-program/program-source.ts";

/** A usual program of 20 places with room and child prices, changed by `own`. */
function sandboxProgram(programId: string, own: Partial<ProgramSource>): ProgramWithId {
  return bareProgram(programId, { ...usual, ...own });
}

export function bareProgram(programId: string, own: Partial<ProgramSource>): ProgramWithId {
  return { ...nothing, ...own, programId };
}

const nothing: Omit<ProgramSource, "programId"> = {
  name: null,
  lifecycleState: "active",
  departureDate: null,
  returnDate: null,
  capacityTotal: null,
  currency: null,
  categoryType: null,
  categorySubtype: null,
  guideName: null,
  legacyPrice: null,
  description: null,
  departurePoint: null,
  marketingTags: null,
  accommodationDescription: null,
  coverUrl: null,
  galleryUrls: null,
  included: null,
  excluded: null,
  visits: null,
  roomPrices: [],
  childPrices: [],
  hotelStays: [],
  enrollments: [],
  staff: [],
  flights: [],
  itinerary: [],
  faq: [],
  oversize: null,
};

const usual: Partial<ProgramSource> = {
  departureDate: "2031-05-03",
  returnDate: "2031-05-10",
  capacityTotal: 20,
  currency: "EUR",
  categoryType: "Culture",
  description: "A program for tests. Nobody travels.",
  roomPrices: [
    [1, "1690.00"],
    [2, "1290.00"],
  ],
  childPrices: [[2, 11, "890.00"]],
  enrollments: [["passenger", "confirmed", 7]],
};

/** A program in which every field of the API has a value. */
const everything: ProgramWithId = {
  programId: "everything",
  name: "Lisbon and the Douro Valley",
  lifecycleState: "active",
  departureDate: "2031-05-08",
  returnDate: "2031-05-15",
  capacityTotal: 32,
  currency: "EUR",
  categoryType: "Culture",
  categorySubtype: "Food and landscape",
  guideName: "Inês Carvalho",
  legacyPrice: null,
  description: "Four days among the tiled hills of Lisbon, then up the Douro by train to the vineyards.",
  departurePoint: "Munich Airport, Terminal 2",
  marketingTags: ["Small group", "By train"],
  accommodationDescription: "A town house with a roof terrace, then a working wine estate on the river.",
  coverUrl: "https://cdn.example.com/programs/lisbon-douro/cover.jpg",
  galleryUrls: [
    "https://cdn.example.com/programs/lisbon-douro/alfama.jpg",
    "https://cdn.example.com/programs/lisbon-douro/pinhao-station.jpg",
  ],
  included: ["Flights from Munich", "7 nights with breakfast", "Train along the Douro"],
  excluded: ["Travel insurance", "Lunches, except on the last day"],
  visits: ["Jerónimos Monastery", "National Tile Museum", "Pinhão"],
  roomPrices: [
    [1, "1690.00"],
    [2, "1290.00"],
    [3, "1240.50"],
  ],
  childPrices: [
    [0, 1, "0"],
    [2, 11, "890.00"],
  ],
  hotelStays: [
    ["Casa do Miradouro", "Lisbon, Graça", "2031-05-08", "2031-05-12", 4],
    ["Quinta da Ribeira", "Pinhão", "2031-05-12", "2031-05-15", 5],
  ],
  enrollments: [
    ["passenger", "confirmed", 21],
    ["passenger", "cancelled", 2],
    ["staff", "confirmed", 2],
  ],
  staff: [
    ["lead_guide", "Inês Carvalho", "female", null],
    ["teacher", "Dr. Matthias Roth", "male", "Art history"],
    ["teacher", "Sofia Marques", "female", "Wine"],
  ],
  flights: [
    ["LH", "https://cdn.example.com/airlines/lh.svg"],
    ["TP", "https://cdn.example.com/airlines/tp.svg"],
  ],
  itinerary: [
    ["Arrival and the Alfama at dusk", "Dinner together near the cathedral."],
    ["Belém", "The monastery in the morning, the river in the afternoon."],
    ["By train to Pinhão", "Along the Douro, then a walk through the terraces."],
  ],
  faq: [
    ["How much walking is there?", "Two to three hours a day in Lisbon, on steep and cobbled streets."],
    ["May children come?", "Yes; up to two years they travel free."],
  ],
  oversize: null,
};

/** A partner's page has to isolate each Arabic text and take its direction from its content. */
const rightToLeft = sandboxProgram("right-to-left", {
  name: "الأندلس: غرناطة وقرطبة وإشبيلية",
  departureDate: "2031-10-03",
  returnDate: "2031-10-09",
  capacityTotal: 40,
  currency: "AED",
  categoryType: "ثقافة وتاريخ",
  guideName: "د. ليلى منصور",
  description: "سبعة أيام بين قصر الحمراء والمسجد الجامع في قرطبة وحدائق إشبيلية، مع محاضرة قصيرة كل مساء.",
  departurePoint: "مطار دبي الدولي، المبنى رقم 3",
  marketingTags: ["عائلات"],
  included: ["تذاكر الطيران", "الإقامة مع الإفطار", "تذاكر دخول قصر الحمراء"],
  excluded: ["رسوم التأشيرة"],
  visits: ["قصر الحمراء", "المسجد الجامع في قرطبة", "برج الذهب"],
  roomPrices: [
    [1, "8200"],
    [2, "6450"],
  ],
  childPrices: [[2, 11, "4900"]],
  hotelStays: [
    ["Hotel Puerta de Elvira", "غرناطة", "2031-10-03", "2031-10-06", 4],
    [null, "إشبيلية", "2031-10-06", "2031-10-09", 5],
  ],
  staff: [["teacher", "يوسف بن صالح", null, "تاريخ الأندلس"]],
  flights: [["EK", null]],
  itinerary: [["الوصول إلى غرناطة", "جولة مسائية في حي البيازين."]],
  faq: [["هل الوجبات حلال؟", "نعم، جميع الوجبات المشمولة في البرنامج حلال."]],
});

/** A program of the sandbox, and what it shows to the author of a partner's client. */
interface SandboxCase {
  readonly id: string;
  readonly shows: string;
}

/**
 * Their ids stay, because partners' tests name them. They are built like a company's rows. The dates are fixed, so that one
 * version of the generator gives the same bytes on every day.
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
