import { describe, expect, test } from "vitest";
import { renderedProgram, schemaViolation } from "../../../cli/publish/content/checked-program.ts";
import type { ProgramSource } from "../../../cli/publish/public-program/program-source.ts";
import { parseProgramId } from "../../../core/ground/ids.ts";
import { mapped } from "../../support/program-source.ts";

function violationOf(fields: Partial<ProgramSource>) {
  const program = mapped(fields);
  if (program.kind !== "published") throw new Error(program.kind);
  return schemaViolation(renderedProgram(program, "object"), parseProgramId("p-1"));
}

describe("D11 the rendered bytes against the schema", () => {
  const places = {
    marketingTags: "/data/marketingTags/0",
    galleryUrls: "/data/media/galleryUrls/0",
    included: "/data/content/included/0",
    excluded: "/data/content/excluded/0",
    visits: "/data/content/visits/0",
  } as const;
  // `text[]` holds arrays of any number of dimensions, and the type of the column does not say.
  const nested: Readonly<Record<string, unknown>> = {
    blank: [[" "]],
    "two texts": [["a", "b"]],
    "a URL": [["https://a.example/"]],
    "no URL": [["http://user:secret@a.example/"]],
    "three dimensions": [[["a"]]],
  };

  for (const [column, place] of Object.entries(places)) {
    test.each(Object.entries(nested))(
      `nested arrays in ${column} break the schema, however they look: %s`,
      (_, value) => {
        expect(violationOf({ [column]: value })).toMatchObject({
          code: "schema_violation",
          programId: "p-1",
          field: place,
          value: expect.stringMatching(/^must be .+: an array of [12]$/),
        });
      },
    );
  }

  test("what the mapping publishes fits the schema", () => {
    expect(violationOf({ marketingTags: ["a"], galleryUrls: ["https://a.example/"] })).toBeUndefined();
  });
});
