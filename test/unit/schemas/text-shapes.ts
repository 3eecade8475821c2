import fc from "fast-check";
import { oneOf, type Shape } from "./shapes.ts";

const lower = "abcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const letters = lower + lower.toUpperCase();

const from = (alphabet: string, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });

/** A word of so many characters of an alphabet, the first of a smaller one. */
function word(first: string, rest: string, longest: number, not: readonly string[] = []): Shape {
  const fits = fc.tuple(fc.constantFrom(...first), from(rest, 0, longest - 1)).map((parts) => parts.join(""));
  const strange = [...' /%\n"\\é€\u0000'].filter((character) => !rest.includes(character));
  const within = fc.tuple(fits, fc.constantFrom(...strange), from(rest, 0, 3)).map((parts) => parts.join(""));
  const notFirst = [...rest].filter((character) => !first.includes(character));
  const edge = first[0] ?? "";
  return {
    types: ["string"],
    fits: [edge, edge + rest.slice(0, longest - 1), edge.repeat(longest)],
    not: [
      "",
      edge.repeat(longest + 1),
      ` ${edge}`,
      `${edge} `,
      `${edge}\n`,
      `\n${edge}`,
      ...notFirst,
      ...not,
    ],
    every: { fits, not: within },
  };
}

/** So many digits of a base. */
const digitsOf = (length: number): Shape => ({
  types: ["string"],
  fits: ["0".repeat(length), "f".repeat(length)],
  not: ["", "0".repeat(length - 1), "0".repeat(length + 1), "F".repeat(length), "g".repeat(length)],
  every: { fits: from(`${digits}abcdef`, length, length), not: from(`${digits}abcdef`, 0, length - 1) },
});

const idCharacters = `${letters}${digits}._~-`;
export const programId = word(letters + digits, idCharacters, 128, ["a/b", "__proto__", "../b"]);
export const tenantId = word(letters + digits, idCharacters, 64, ["a/b", "../b"]);
export const requestId = word(`${letters}${digits}._-`, `${letters}${digits}._-`, 128, ["a~"]);
export const scope = word(lower, `${lower}${digits}._:-`, 64, ["A"]);
export const outcomeWord = word(lower, `${lower}-`, 32, ["Held"]);
export const codeWord: Shape = {
  types: ["string"],
  fits: ["a", "a_1", "a".repeat(500)],
  not: ["", "Bad", "a b", "_a", "1a", "a-b", "a\n"],
};
export const sha256 = digitsOf(64);
export const nonce = digitsOf(32);
export const currency: Shape = {
  types: ["string"],
  fits: ["EUR", "AAA", "ZZZ"],
  not: ["eur", "EURO", "EU", "€", "", "EUR\n", " EUR"],
};
export const snapshotId: Shape = {
  types: ["string"],
  fits: ["20270201T031500Z-00000000"],
  not: [
    "20270201T031500Z-0A1B2C3D",
    "20270201T031500-0a1b2c3d",
    "2027-02-01T03:15:00Z",
    "",
    "x20270201T031500Z-00000000",
    "20270201T031500Z-000000000",
  ],
};
/** A word, an underscore and 16 letters or digits. */
const prefixed = (prefix: string): Shape => ({
  types: ["string"],
  fits: [`${prefix}_${"0".repeat(16)}`, `${prefix}_${"zZ".repeat(8)}`],
  not: [
    ...["", `${prefix}_`, `${prefix}_0123456789ABCde-`, "0123456789ABCdef", `x${prefix}_${"0".repeat(16)}`],
    ...[15, 17].map((length) => `${prefix}_${"0".repeat(length)}`),
  ],
});
export const tokenId = prefixed("tok");
export const storeId = prefixed("store");

const notShown = " \t\r\n\v\f\u0085\u00a0\u1680\u2003\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff";
/** Text of which at least one character shows. */
export const text: Shape = {
  types: ["string"],
  fits: ["x", " x ", "رحلة", "\ufeffx"],
  not: ["", ...notShown, notShown],
  every: {
    fits: fc
      .tuple(fc.string(), fc.constantFrom("x", "é", "رحلة", "🧭"), fc.string())
      .map((parts) => parts.join("")),
    not: from(notShown, 0, 20),
  },
};
/** The report schema allows at most 200 characters in a value. */
export const shortened: Shape = {
  types: ["string"],
  fits: ["", "\n", "x".repeat(200), "🧭".repeat(200)],
  not: ["x".repeat(201), "🧭".repeat(201)],
};

const noDates = [
  "2027-02-29",
  "2100-02-29",
  "2027-04-31",
  "2027-00-10",
  "2027-13-01",
  "2027-01-00",
  "0000-01-01",
];
/** `generated-validators.test.ts` goes through all days. */
export const calendarDate: Shape = {
  types: ["string"],
  fits: ["0001-01-01", "9999-12-31", "2028-02-29", "2000-02-29"],
  not: [...noDates, "2027-1-1", "2027-01-01T00:00:00Z", "10000-01-01", "", " 2027-01-01", "2027-01-01\n"],
};
export const instant: Shape = {
  types: ["string"],
  fits: ["2028-02-29T23:59:59Z", "2027-01-01T00:00:00.123456789Z"],
  not: [
    ...noDates.map((date) => `${date}T00:00:00Z`),
    "2027-01-01T24:00:00Z",
    "2027-01-01T00:60:00Z",
    "2027-01-01T00:00:60Z",
    "2027-01-01T00:00:00.1234567890Z",
    "2027-01-01T00:00:00+00:00",
    "2027-01-01",
    "",
    " 2027-01-01T00:00:00Z",
    "2027-01-01T00:00:00Z\n",
  ],
};

/** The `format` of a stored document. */
export const format = (kind: string, version = 1): Shape => oneOf(`partner-programs/${kind}@${version}`);
