import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { validate } from "../../../schemas/validate.ts";
import { documents } from "./documents.ts";
import { objectsOf, removed, replaced, valueAt } from "./mutations.ts";
import { audit } from "./stored-samples.ts";

/** Objects with keys of the data's choosing: none of them is required. */
const maps = new Set([
  "confirmed.json /tenants",
  "last.json /tenants",
  "last.json /tenants/atlas-tours/problemCounts",
  "manifest.json /programs",
  "manifest.json /source/problemCounts",
  "removed.json /tenants",
  "run report /tenants/0/problemCounts",
]);
const newInTenantRun = ["confirmedAt", "livePrograms", "leftOut", "leftOutOmitted", "changes"];
const newInOptions = ["shard", "allowEmptied", "allowShared", "allowVanished"];
/** Keys that a document of an earlier version may lack, by the place of the object: in a document, in the schemas. */
const optional: Readonly<Record<string, readonly string[]>> = {
  "manifest.json ": ["source", "contentAt", "ancestors"],
  "manifest.schema.json": ["source", "contentAt", "ancestors"],
  "removed.json /tenants/atlas-tours": ["isPurged", "generation"],
  "removed.schema.json/$defs/RemovedTenant": ["isPurged", "generation"],
  "audit/ /changes/3": ["generation"],
  "audit.schema.json/$defs/RemovalChange": ["generation"],
  "run report /options": newInOptions,
  "run-report.schema.json/$defs/RunOptions": newInOptions,
  "run report /tenants/0": newInTenantRun,
  "run-report.schema.json/$defs/TenantRun": newInTenantRun,
  "run report /tenants/0/counts": ["withdrawn"],
  "run report /totals/programs": ["withdrawn"],
  "run report /totals/tenants": ["elsewhere"],
  "run-report.schema.json/$defs/OutcomeCounts": ["elsewhere"],
  "run-report.schema.json/$defs/ProgramCounts": ["withdrawn"],
};

/** One of several shapes: of what fits none of them no key can be blamed. */
const alternatives = new Set([...objectsOf(audit.changes).map((pointer) => `audit/ /changes${pointer}`)]);

/** Documents whose readers ignore keys that they do not know. In these, maps alone are closed, and what the run report defines. */
const open = new Set([
  "confirmed.json",
  "current.json",
  "last.json",
  "manifest.json",
  "removed.json",
  "sandbox.json",
  "store.json",
]);
const closedInside = new Set(["manifest.json /source/problems/0"]);

const places = documents.flatMap(({ name, document }) =>
  objectsOf(document).map((pointer) => ({ pointer, place: `${name} ${pointer}`, document })),
);

describe.each(documents)("$name", ({ name, document, isDocument }) => {
  const objects = objectsOf(document).map((pointer) => ({ pointer, place: `${name} ${pointer}` }));

  test("is a sample that fits its schema", () => {
    expect(validate(isDocument, document)).toEqual({ valid: true, document });
  });

  test("accepts no other key in any object, unless its readers ignore such keys", () => {
    for (const { pointer, place } of objects) {
      if (open.has(name) && !maps.has(place) && !closedInside.has(place)) {
        expect(validate(isDocument, replaced(document, `${pointer}/newer`, null)).valid, place).toBe(true);
        continue;
      }
      for (const key of ["no such key", "__proto__"]) {
        const result = validate(isDocument, replaced(document, `${pointer}/${key}`, null));
        expect(result.valid, place).toBe(false);
        if (alternatives.has(place)) continue;
        const expected = `have no key ${JSON.stringify(key)}`;
        expect(result).toMatchObject({ valid: false, violation: { path: pointer, expected } });
      }
    }
  });

  test("needs each key of every object", () => {
    for (const { pointer, place } of objects.filter((object) => !maps.has(object.place))) {
      for (const key of Object.keys(valueAt(document, pointer) ?? {})) {
        const isOptional = optional[place]?.includes(key) === true;
        const result = validate(isDocument, removed(document, `${pointer}/${key}`));
        expect(result.valid, `${place}/${key}`).toBe(isOptional);
        if (isOptional || alternatives.has(place)) continue;
        const expected = `have the key ${JSON.stringify(key)}`;
        expect(result).toMatchObject({ valid: false, violation: { path: pointer, expected } });
      }
    }
  });
});

describe("the schema files", () => {
  const directory = new URL("../../../schemas/", import.meta.url);
  const files = readdirSync(directory).filter((name) => name.endsWith(".schema.json"));
  const objects = files.flatMap((name) =>
    objectSchemas(JSON.parse(readFileSync(new URL(name, directory), "utf8")), name),
  );

  test("describe objects at all", () => expect(objects.length).toBeGreaterThan(40));

  test("close every object and require all its keys", () => {
    for (const { place, schema } of objects) {
      expect(schema.additionalProperties, place).toBe(false);
      const keys = Object.keys(schema.properties ?? {});
      const mayLack = optional[place] ?? [];
      expect(schema.required ?? [], place).toEqual(keys.filter((key) => !mayLack.includes(key)));
    }
  });

  test("have a sample above for every object, with its keys in the schema's order", () => {
    const shapes = places.map(({ document, pointer }) => Object.keys(valueAt(document, pointer) ?? {}));
    for (const { place, schema } of objects) {
      if (schema.properties !== undefined)
        expect(shapes, place).toContainEqual(Object.keys(schema.properties));
    }
  });
});

interface ObjectSchema {
  readonly type: unknown;
  readonly additionalProperties?: unknown;
  readonly required?: readonly string[];
  readonly properties?: object;
}

function objectSchemas(
  value: unknown,
  place: string,
): readonly { readonly place: string; readonly schema: ObjectSchema }[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, part]) => objectSchemas(part, `${place}/${key}`));
  return "type" in value && value.type === "object" ? [{ place, schema: value }, ...inside] : inside;
}
