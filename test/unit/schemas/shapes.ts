import fc from "fast-check";

/**
 * What may stand at one place of a document, stated apart from the schema files: a schema line that says something else turns a
 * test of `fields.test.ts` red. `fits` and `not` are the values at the very edge; `every` draws more of either side.
 */
export interface Shape {
  readonly types: readonly JsonType[];
  readonly fits: readonly unknown[];
  readonly not: readonly unknown[];
  readonly every?: { readonly fits: fc.Arbitrary<unknown>; readonly not: fc.Arbitrary<unknown> };
  /** The shapes below: of an object by key, of a list by place. */
  readonly inside?: Inside;
}

type Inside = Readonly<Record<string, Shape>>;

export type JsonType = "array" | "boolean" | "null" | "number" | "object" | "string";

export function jsonType(value: unknown): JsonType | undefined {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "bigint" || type === "function" || type === "symbol" || type === "undefined"
    ? undefined
    : type;
}

export const object = (inside: Inside): Shape => ({ types: ["object"], fits: [], not: [], inside });

/** An object whose keys the data chooses; none of them is required. */
export const map = (inside: Inside, not: readonly unknown[]): Shape => ({
  types: ["object"],
  fits: [{}],
  not,
  inside,
});

/** A list; the shapes are those of the sample's first elements. */
export const list = (...inside: readonly Shape[]): Shape => ({
  types: ["array"],
  fits: [[]],
  not: [],
  inside: Object.fromEntries(inside.entries()),
});

export const orNull = (shape: Shape): Shape => ({
  ...shape,
  types: [...shape.types, "null"],
  fits: [...shape.fits, null],
});

export const yesOrNo: Shape = { types: ["boolean"], fits: [true, false], not: [] };
export const anyText: Shape = { types: ["string"], fits: ["", "\n", "not an id"], not: [] };

/** One of several words or numbers, and no other. */
export function oneOf(...words: readonly (string | number | boolean)[]): Shape {
  const others = words.flatMap((word): readonly unknown[] =>
    typeof word === "number" ? [word + 0.5] : [`${word}x`, `x${word}`],
  );
  const upper = words.map((word) => String(word).toUpperCase());
  return {
    types: [...new Set(words.map(jsonType))].flatMap((type) => type ?? []),
    fits: words,
    not: [...others, ...upper, "", "other", 5, 77, words[0] !== true],
  };
}

export function integer(min: number, max?: number): Shape {
  const above = max ?? Number.MAX_SAFE_INTEGER;
  return {
    types: ["number"],
    fits: [min, above],
    not: [min - 1, min + 0.5, ...(max === undefined ? [] : [max + 1])],
    every: {
      fits: fc.integer({ min, max: above }),
      not: fc.oneof(
        fc.integer({ max: min - 1 }),
        fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
      ),
    },
  };
}

export const anyInteger: Shape = { types: ["number"], fits: [-1, 0, 1], not: [0.5] };
export const count = integer(0);
export const atLeastOne = integer(1);
export const generation = integer(1, Number.MAX_SAFE_INTEGER);

/** An amount of money: above 0, or from 0 on. */
export function amount(lowest: "above 0" | "0"): Shape {
  const isAbove = lowest === "above 0";
  const finite = { noNaN: true, noDefaultInfinity: true } as const;
  return {
    types: ["number"],
    fits: [...(isAbove ? [] : [0]), 0.01, 1240.5, 1690],
    not: [-0.01, -1, ...(isAbove ? [0] : [])],
    every: {
      fits: fc.double({ ...finite, min: isAbove ? Number.MIN_VALUE : 0 }),
      not: fc.double({ ...finite, max: -Number.MIN_VALUE }),
    },
  };
}
