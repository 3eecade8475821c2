import { describe, expect, test } from "vitest";
import { detailEntry, type Manifest, manifestText } from "../../../core/manifest.ts";
import { isManifestDocument } from "../../../schemas/generated/validators-stored.ts";
import { growth } from "../../support/cpu-time.ts";
import { rejectionOf } from "../../support/failure-of.ts";
import {
  readText,
  sampleManifest,
  sampleParent,
  sampleSnapshot,
  sampleSource,
  wholeText,
} from "../../support/manifest-sample.ts";

const folder = `tenants/acme/snapshots/${sampleSnapshot}`;
const canonical = wholeText(sampleManifest());

function document(): Record<string, unknown> {
  return JSON.parse(canonical);
}

describe("the text of a manifest", () => {
  test("is JSON of its schema, one program a line", () => {
    expect(isManifestDocument(JSON.parse(canonical))).toBe(true);
    expect(canonical.split("\n").map((line) => line.slice(0, 8))).toEqual([
      '{"format',
      '"p-0":{"',
      '"p-1":{"',
      '"p-2":{"',
      "}}",
    ]);
  });

  test("comes in pieces of bounded size, however many programs there are", () => {
    const lengths = [...manifestText(sampleManifest(1000))].map((piece) => piece.length);
    expect(Math.max(...lengths)).toBeLessThan(2000);
    expect(lengths.length).toBeGreaterThan(1000);
  });

  test("names for each program the folder of the build that wrote it", () => {
    expect(detailEntry(sampleManifest(), "p-0")?.key).toBe(`${folder}/v1/programs/p-0.json`);
    expect(detailEntry(sampleManifest(), "p-1")?.key).toBe(
      `tenants/acme/snapshots/${sampleParent}/v1/programs/p-1.json`,
    );
    expect(detailEntry(sampleManifest(), "constructor")).toBeUndefined();
  });
});

describe("reading a manifest", () => {
  test.each([1, 2, 7, 64, 100_000])("gives back what was written, in chunks of %d bytes", async (size) => {
    const found = await readText(canonical, size);
    expect(wholeText(found)).toBe(canonical);
    expect(found).toEqual(sampleManifest());
  });

  test.each([0, 3])("of %d programs passes over what earlier versions wrote of the source", async (count) => {
    const text = wholeText(sampleManifest(count)).replace(
      /\}$/,
      `,"source":${JSON.stringify(sampleSource)}}`,
    );
    expect(isManifestDocument(JSON.parse(text))).toBe(true);
    expect(await readText(text, 7)).toEqual(sampleManifest(count));
  });

  test("of no program works", async () => {
    const text = wholeText(sampleManifest(0));
    expect((await readText(text)).programs.count).toBe(0);
  });

  test("of 100,000 programs takes a time like its length", async () => {
    let found: Manifest | undefined;
    const [quarter, whole] = [wholeText(sampleManifest(25_000)), wholeText(sampleManifest(100_000))];
    const times = await growth(quarter, whole, async (text) => {
      found = await readText(text);
    });
    expect(times).toBeLessThan(10);
    expect(found?.programs.count).toBe(100_000);
    expect(found?.programs.get("p-99999")).toMatchObject({ size: 100_000 });
  });

  const spaced = JSON.stringify(document(), null, 2);
  test.each([
    ["minified", JSON.stringify(document())],
    ["indented", spaced],
    ["indented by tabs", JSON.stringify(document(), null, "\t")],
    ["with CRLF", spaced.replaceAll("\n", "\r\n")],
    ["with keys in another order", JSON.stringify(Object.fromEntries(Object.entries(document()).reverse()))],
    ["with a line break at its end", `${canonical}\n`],
    ["with line breaks inside entries", canonical.replaceAll(',"sha256"', ',\n"sha256"')],
    ["with two entries on its first line", canonical.replace('},\n"p-1"', '},"p-1"')],
    ["with two entries on a later line", canonical.replace('},\n"p-2"', '},"p-2"')],
    ["with a blank line behind an entry", canonical.replace('},\n"p-1"', '},\n\n"p-1"')],
    ["with escaped ids", canonical.replaceAll('"p-', '"\\u0070-')],
    ["with blank lines", canonical.replaceAll("\n", "\n\n")],
  ])("takes any other JSON of the schema: %s", async (_, text) => {
    expect(text).not.toBe(canonical);
    expect(wholeText(await readText(text))).toBe(canonical);
  });

  test("takes a large one of another form, in a time like its length, but not of any size", async () => {
    const minified = (count: number): string => JSON.stringify(JSON.parse(wholeText(sampleManifest(count))));
    let found: Manifest | undefined;
    const times = await growth(minified(10_000), minified(40_000), async (text) => {
      found = await readText(text, 16 * 1024);
    });
    expect(times).toBeLessThan(10);
    expect(found?.programs.count).toBe(40_000);
    const huge = Buffer.from(`${minified(10_000)}${" ".repeat(16 * 1024 * 1024)}`);
    const failure = await rejectionOf(readText(huge));
    expect(failure.code).toBe("corrupt_document");
    expect(failure.message).toContain("too large");
  });
});

test("P43 others have their turn while a manifest is read that came in one piece", async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  const text = wholeText(sampleManifest(1000));
  setImmediate(count);
  await readText(text, text.length);
  isOver = true;
  expect(turns).toBeGreaterThan(10);
});
