import fc from "fast-check";
import { expect, test } from "vitest";
import { ElementSplitter } from "../../../cli/publish/snapshot/element-splitter.ts";

/** The elements and the rest, the document coming in pieces that end at these places. */
function split(text: string, cuts: readonly number[] = []): { elements: string[]; rest: string } {
  const bytes = Buffer.from(text);
  const elements: string[] = [];
  const splitter = new ElementSplitter((json) => elements.push(json.toString()));
  const places = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  places.forEach((place, at) => {
    splitter.push(bytes.subarray(place, places[at + 1] ?? bytes.length));
  });
  return { elements, rest: splitter.finish().toString() };
}

test("however the document is cut into pieces, the elements and the rest are what JSON says", () => {
  const documents = fc.record({ data: fc.array(fc.jsonValue()), meta: fc.jsonValue() });
  fc.assert(
    fc.property(documents, fc.array(fc.nat(10_000)), ({ data, meta }, cuts) => {
      const { elements, rest } = split(JSON.stringify({ data, meta }), cuts);
      expect(elements).toEqual(data.map((element) => JSON.stringify(element)));
      expect(rest).toBe(JSON.stringify({ data: [], meta }));
    }),
  );
});

test("only the first array on the second level is taken apart", () => {
  expect(split('{"a":{"b":[1,2]},"c":[3,[4,5]],"d":[6,7]}')).toEqual({
    elements: ["3", "[4,5]"],
    rest: '{"a":{"b":[1,2]},"c":[],"d":[6,7]}',
  });
});

test("brackets, commas and escaped quotes within texts mean nothing", () => {
  expect(split('{"data":["],[","\\"]","\\\\"],"x":1}')).toEqual({
    elements: ['"],["', '"\\"]"', '"\\\\"'],
    rest: '{"data":[],"x":1}',
  });
});

test.each([
  ["a comma too many", '{"data":[1,]}', ["1", ""]],
  ["an end that is missing", '{"data":[1,2', ["1"]],
  ["no array at all", '{"data":1}', []],
])("%s gives pieces that are no JSON, or no list", (_, text, elements) => {
  expect(split(text).elements).toEqual(elements);
});
