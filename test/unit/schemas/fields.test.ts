import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validate } from "../../../schemas/validate.ts";
import { type DocumentKind, documents } from "./documents.ts";
import { replaced, valueAt } from "./mutations.ts";
import { jsonType, type Shape } from "./shapes.ts";

interface Place {
  readonly at: string;
  readonly shape: Shape;
}

const ofEachType = [null, false, 7, "7", [], {}];
const values = fc.jsonValue();

describe.each(documents)("$name", (kind) => {
  const places = placesOf(kind.shape);

  test("has a shape for each of its places", () => {
    expect(unknownParts(kind.document, kind.shape)).toEqual([]);
    expect(places.filter(({ at }) => valueAt(kind.document, at) === undefined)).toEqual([]);
  });

  test("takes, at each place, the values at the edge of what may stand there", () => {
    const refused = places.flatMap(({ at, shape }) =>
      shape.fits.flatMap((value) => {
        const result = validate(kind.isDocument, replaced(kind.document, at, value));
        return result.valid ? [] : [`${at} = ${JSON.stringify(value)}: ${result.violation.message}`];
      }),
    );
    expect(refused).toEqual([]);
  });

  test("refuses, at each place, the values next to those, and blames the place", () => {
    const wrong = places.flatMap(({ at, shape }) => shape.not.flatMap((value) => unblamed(kind, at, value)));
    expect(wrong).toEqual([]);
  });

  test("refuses, at each place, a value of any other type", () => {
    for (const { at, shape } of places) {
      const isOther = (value: unknown) => shape.types.every((type) => type !== jsonType(value));
      expect(ofEachType.filter(isOther).flatMap((value) => unblamed(kind, at, value))).toEqual([]);
      const refused = (value: unknown) => void expect(unblamed(kind, at, value)).toEqual([]);
      fc.assert(fc.property(values.filter(isOther), refused), { numRuns: 10 });
    }
  });

  test("tells, at each place, numbers and words within the bounds from those beyond", () => {
    for (const { at, shape } of places) {
      if (shape.every === undefined) continue;
      const fits = (value: unknown) => {
        expect(validate(kind.isDocument, replaced(kind.document, at, value)), at).toMatchObject({
          valid: true,
        });
      };
      const refused = (value: unknown) => void expect(unblamed(kind, at, value)).toEqual([]);
      fc.assert(fc.property(shape.every.fits, fits), { numRuns: 20 });
      fc.assert(fc.property(shape.every.not, refused), { numRuns: 20 });
    }
  });
});

/** The value with its place, unless the document with it is refused because of that place. */
function unblamed(kind: DocumentKind, at: string, value: unknown): readonly string[] {
  const result = validate(kind.isDocument, replaced(kind.document, at, value));
  const shown = `${at} = ${JSON.stringify(value)}`;
  if (result.valid) return [shown];
  const { alternatives } = kind;
  const place = alternatives !== undefined && at.startsWith(alternatives) ? alternatives : at;
  const isBlamed = result.violation.path === at || `${result.violation.path}/`.startsWith(`${place}/`);
  return isBlamed ? [] : [`${shown}: ${result.violation.message}`];
}

function placesOf({ inside = {} }: Shape, pointer = ""): readonly Place[] {
  return Object.entries(inside).flatMap(([key, shape]) => {
    const at = `${pointer}/${key}`;
    return [{ at, shape }, ...placesOf(shape, at)];
  });
}

/** Pointers to the parts of a document that its shape does not know; of a list only the first element is looked at. */
function unknownParts(document: unknown, { inside }: Shape, pointer = ""): readonly string[] {
  if (typeof document !== "object" || document === null || inside === undefined) return [];
  const parts = Object.entries(document).slice(0, Array.isArray(document) ? 1 : undefined);
  return parts.flatMap(([key, part]) => {
    const shape = inside[key];
    const at = `${pointer}/${key}`;
    return shape === undefined ? [at] : unknownParts(part, shape, at);
  });
}
