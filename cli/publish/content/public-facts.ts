import { emptiableFields } from "../../../schemas/generated/public-fields.ts";

/** What the guards compare of a program between the live snapshot and the next one. */
export interface PublicFacts {
  /** A bit for each of `publicParts` that is filled. */
  readonly parts: bigint;
  readonly used: number;
}

/** P140: the paths of the parts of a detail that may be empty. A capacity of 0 places is empty, too. */
export const publicParts: readonly string[] = ["capacity.total", ...emptiableFields];

/** `program` is the `data` of a detail. A part of a list's elements is filled if any element has it. */
export function publicFacts(program: object): PublicFacts {
  const words = new Uint32Array(Math.ceil(publicParts.length / wordBits));
  for (const part of outermostParts) mark(part, program, words);
  const parts = words.reduceRight((bits, word) => (bits << BigInt(wordBits)) | BigInt(word), 0n);
  return { parts, used: Number(valueAt(program, ["capacity", "used"])) };
}

/** The places in `publicParts` of a set's parts. */
export function placesOf(parts: bigint): readonly number[] {
  const digits = parts.toString(2);
  return Array.from(digits, (digit, at) => (digit === "1" ? digits.length - 1 - at : -1))
    .filter((place) => place !== -1)
    .reverse();
}

/** Whether the part lies within one of the others. An emptied list says all about its elements. */
export function isInside(part: string, others: readonly string[]): boolean {
  return others.some((outer) => part.startsWith(`${outer}.`) || part.startsWith(`${outer}[].`));
}

interface Part {
  readonly place: number;
  /** The path from the part around it, or from an element of that part. */
  readonly steps: readonly string[];
  readonly inner: readonly Part[];
}

const wordBits = 32;
const outermostParts = partsWithin("");

function partsWithin(outer: string): readonly Part[] {
  const within = publicParts.filter((part) => outer === "" || isInside(part, [outer]));
  return within
    .filter((part) => !isInside(part, within))
    .map((part) => ({
      place: publicParts.indexOf(part),
      steps: part
        .slice(outer.length)
        .replace(/^(\[\])?\./, "")
        .split("."),
      inner: partsWithin(part),
    }));
}

function mark({ place, steps, inner }: Part, around: unknown, words: Uint32Array): void {
  const value = valueAt(around, steps);
  if (value === null || value === undefined || value === 0) return;
  const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (elements.length === 0) return;
  const word = Math.floor(place / wordBits);
  words[word] = (words[word] ?? 0) | (1 << (place % wordBits));
  for (const part of inner) for (const element of elements) mark(part, element, words);
}

function valueAt(around: unknown, steps: readonly string[]): unknown {
  let value = around;
  for (const step of steps) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}
