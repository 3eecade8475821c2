import { emptiableFields } from "../../../schemas/generated/public-fields.ts";

/** What the guards compare of a program between the live snapshot and the next one. */
export interface PublicFacts {
  /** A bit for each of `publicParts` that is filled. */
  readonly parts: bigint;
  readonly used: number;
}

/** P140: the paths of the parts of a detail that may be empty. A capacity of 0 places is empty, too. */
export const publicParts: readonly string[] = ["capacity.total", ...emptiableFields];

/** The names on the way to each part, the last part first, as its bit is the highest. */
const waysToParts = publicParts.map((part) => part.replaceAll("[]", "").split(".")).reverse();

/** `program` is the `data` of a detail. */
export function publicFacts(program: object): PublicFacts {
  const bits = waysToParts.map((names) => (isFilled(program, names, 0) ? "1" : "0"));
  const { capacity } = program as { readonly capacity?: { readonly used?: number } };
  return { parts: BigInt(`0b${bits.join("")}`), used: Number(capacity?.used) };
}

/** A part of a list's elements is filled if any element has it. */
function isFilled(value: unknown, names: readonly string[], at: number): boolean {
  if (value === null || value === undefined || value === 0) return false;
  if (Array.isArray(value)) return value.some((element) => isFilled(element, names, at));
  const name = names[at];
  return name === undefined || isFilled((value as Readonly<Record<string, unknown>>)[name], names, at + 1);
}

/** The places in `publicParts` of a set's parts. */
export function placesOf(parts: bigint): readonly number[] {
  return [...parts.toString(2)].reverse().flatMap((bit, place) => (bit === "1" ? [place] : []));
}
