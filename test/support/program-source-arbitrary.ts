import fc from "fast-check";
import type { ProgramSource } from "../../cli/publish/public-program/program-source.ts";

/** Texts as a database may hold them: anything but U+0000 and lone surrogates. */
const sourceText = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom("Coastal Hike", "x", "رحلة إلى القدس", "טיול", "日本の旅", "Ἑλλάς"),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...["", " ", "\u0085", "\u2028", "\u00a0\u3000", "\ufeff", "\u200b", "\u202erev\u202c", "a\u0001b"],
      ...'"quoted" back\\slash </script> {} null __proto__ 😀 e\u0301 \uffff'.split(" "),
      "\r\n",
    ),
  },
  {
    weight: 2,
    arbitrary: fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replaceAll("\0", "")),
  },
);

const text = fc.option(sourceText);
const texts = fc.option(fc.array(text, { maxLength: 4 }));
const wholeNumber = fc.option(
  fc.oneof(fc.integer({ min: -2, max: 7 }), fc.constantFrom(-2147483648, 2147483647, 18, 99)),
);
const amount = fc.option(
  fc.oneof(
    fc.constantFrom(..."0 0.00 1234.50 -1 NaN Infinity 9007199254740993 0.1000000000000000055".split(" ")),
    fc.nat(1_000_000).map((cents) => `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`),
    fc.stringMatching(/^-?[0-9]{1,30}(\.[0-9]{1,30})?$/),
  ),
);
const date = fc.option(
  fc.oneof(
    fc
      .integer({ min: -719_162, max: 2_932_896 })
      .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10)),
    fc.constantFrom("infinity", "-infinity", "0044-03-15 BC", "10000-01-01", "2027-05-01", "2027-05-02"),
  ),
);
const url = fc.option(
  fc.oneof(
    fc.constantFrom(
      ..."https://a.example/x HTTPS://A.EXAMPLE http://a.example https://u:p@a.example/ https:x".split(" "),
    ),
    fc.webUrl({ validSchemes: ["https", "http"], withFragments: true, withQueryParameters: true }),
    sourceText.map((path) => `https://a.example/${path}`),
    sourceText,
  ),
);

function word(...known: readonly string[]): fc.Arbitrary<string | null> {
  return fc.option(
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: sourceText }),
  );
}

const rows = <Row>(row: fc.Arbitrary<Row>): fc.Arbitrary<Row[]> => fc.array(row, { maxLength: 4 });

/** Any rows that the views could give of one program. */
export const anyProgramSource: fc.Arbitrary<ProgramSource> = fc.record({
  programId: fc.oneof(
    { weight: 5, arbitrary: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,10}$/) },
    { weight: 1, arbitrary: sourceText },
  ),
  name: fc.oneof({ weight: 5, arbitrary: sourceText }, { weight: 1, arbitrary: fc.constant(null) }),
  lifecycleState: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("active", "ACTIVE") },
    { weight: 1, arbitrary: word("draft", "ended", "Archived", "paused") },
  ),
  departureDate: date,
  returnDate: date,
  capacityTotal: wholeNumber,
  currency: word("EUR", "usd", "€", "EURO"),
  categoryType: text,
  categorySubtype: text,
  guideName: text,
  legacyPrice: amount,
  description: text,
  departurePoint: text,
  marketingTags: texts,
  accommodationDescription: text,
  coverUrl: url,
  galleryUrls: fc.option(fc.array(url, { maxLength: 4 })),
  included: texts,
  excluded: texts,
  visits: texts,
  roomPrices: rows(fc.tuple(wholeNumber, amount)),
  childPrices: rows(fc.tuple(wholeNumber, wholeNumber, amount)),
  hotelStays: rows(fc.tuple(text, text, date, date, wholeNumber)),
  enrollments: rows(
    fc.tuple(
      word("passenger", "staff", "PASSENGER"),
      word("confirmed", "cancelled", "No_Show"),
      fc.integer({ min: 1, max: 500 }),
    ),
  ),
  staff: rows(fc.tuple(word("lead_guide", "teacher"), text, word("male", "FEMALE", "other"), text)),
  flights: rows(fc.tuple(word("XX", "YY"), url)),
  itinerary: rows(fc.tuple(text, text)),
  faq: rows(fc.tuple(text, text)),
  oversize: fc.constant(null),
});
