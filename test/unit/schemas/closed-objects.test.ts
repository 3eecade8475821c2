import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isAuditDocument, isRemovedDocument } from "../../../schemas/generated/validators-administration.ts";
import {
  isErrorResponse,
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import { isRunReport } from "../../../schemas/generated/validators-run-report.ts";
import { isSourceDocument } from "../../../schemas/generated/validators-source.ts";
import {
  isConfirmedDocument,
  isCurrentDocument,
  isManifestDocument,
  isSandboxDocument,
  isStoreDocument,
  isTokensDocument,
} from "../../../schemas/generated/validators-stored.ts";
import { type CompiledValidator, validate } from "../../../schemas/validate.ts";
import { example, objectsOf, removed, replaced, valueAt } from "./mutations.ts";
import {
  audit,
  blockedMemory,
  confirmed,
  current,
  manifest,
  removed as removedTenants,
  runReport,
  sandbox,
  sourceMemory,
  store as storeSample,
  tokens,
} from "./stored-samples.ts";

interface Sample {
  readonly document: unknown;
  readonly isDocument: CompiledValidator<unknown>;
}

const errorResponse = { error: { code: "not_found", message: "Resource not found" }, requestId: "a-1" };
const samples: Readonly<Record<string, Sample>> = {
  "list response": { document: example("program-list"), isDocument: isProgramListResponse },
  "detail response": { document: example("program-detail"), isDocument: isProgramDetailResponse },
  "legacy response": { document: example("legacy-programs"), isDocument: isLegacyProgramsResponse },
  "error response": { document: errorResponse, isDocument: isErrorResponse },
  "audit/": { document: audit, isDocument: isAuditDocument },
  "confirmed.json": { document: confirmed, isDocument: isConfirmedDocument },
  "current.json": { document: current, isDocument: isCurrentDocument },
  "manifest.json": { document: manifest, isDocument: isManifestDocument },
  "sandbox.json": { document: sandbox, isDocument: isSandboxDocument },
  "removed.json": { document: removedTenants, isDocument: isRemovedDocument },
  "store.json": { document: storeSample, isDocument: isStoreDocument },
  "tokens.json": { document: tokens, isDocument: isTokensDocument },
  "run report": { document: runReport, isDocument: isRunReport },
  "source.json": { document: sourceMemory, isDocument: isSourceDocument },
  "source.json of a block": { document: blockedMemory, isDocument: isSourceDocument },
};
/** Objects with keys of the data's choosing: none of them is required. */
const maps = new Set([
  "confirmed.json /tenants",
  "manifest.json /programs",
  "manifest.json /source/problemCounts",
  "removed.json /tenants",
  "run report /tenants/0/problemCounts",
  "source.json of a block /rest/blocked/findings/problemCounts",
]);
const newInTenantRun = ["confirmedAt", "livePrograms", "leftOut", "leftOutOmitted", "changes"];
const newInOptions = ["allowEmptied", "allowShared"];
/** Keys that a document of an earlier version may lack, by the place of the object: in a document, in the schemas. */
const optional: Readonly<Record<string, readonly string[]>> = {
  "manifest.json ": ["source"],
  "manifest.schema.json": ["source"],
  "run report /options": newInOptions,
  "run-report.schema.json/$defs/RunOptions": newInOptions,
  "run report /tenants/0": newInTenantRun,
  "run-report.schema.json/$defs/TenantRun": newInTenantRun,
  "run report /tenants/0/counts": ["withdrawn"],
  "source.json of a block /rest/blocked/counts": ["withdrawn"],
  "run report /totals/programs": ["withdrawn"],
  "run-report.schema.json/$defs/ProgramCounts": ["withdrawn"],
};

/** One of several shapes: of what fits none of them no key can be blamed. */
const alternatives = new Set([
  "source.json /rest",
  "source.json of a block /rest",
  ...objectsOf(audit.changes).map((pointer) => `audit/ /changes${pointer}`),
]);

const places = Object.entries(samples).flatMap(([name, { document, isDocument }]) =>
  objectsOf(document).map((pointer) => ({
    name,
    pointer,
    place: `${name} ${pointer}`,
    document,
    isDocument,
  })),
);

test.each(Object.entries(samples))("the sample %s fits its schema", (_, { document, isDocument }) => {
  expect(validate(isDocument, document)).toEqual({ valid: true, document });
});

test.each(places)("the object at $place accepts no other key", ({ place, pointer, document, isDocument }) => {
  for (const key of ["no such key", "__proto__"]) {
    const result = validate(isDocument, replaced(document, `${pointer}/${key}`, null));
    expect(result.valid).toBe(false);
    if (alternatives.has(place)) continue;
    const expected = `have no key ${JSON.stringify(key)}`;
    expect(result).toMatchObject({ valid: false, violation: { path: pointer, expected } });
  }
});

test.each(places.filter(({ place }) => !maps.has(place)))(
  "the object at $place needs each of its keys",
  ({ place, pointer, document, isDocument }) => {
    for (const key of Object.keys(valueAt(document, pointer) ?? {})) {
      if (optional[place]?.includes(key)) continue;
      const result = validate(isDocument, removed(document, `${pointer}/${key}`));
      expect(result.valid).toBe(false);
      if (alternatives.has(place)) continue;
      const expected = `have the key ${JSON.stringify(key)}`;
      expect(result).toMatchObject({ valid: false, violation: { path: pointer, expected } });
    }
  },
);

describe("the schema files", () => {
  const directory = new URL("../../../schemas/", import.meta.url);
  const files = readdirSync(directory).filter((name) => name.endsWith(".schema.json"));
  const objects = files.flatMap((name) =>
    objectSchemas(JSON.parse(readFileSync(new URL(name, directory), "utf8")), name),
  );

  test("describe objects at all", () => expect(objects.length).toBeGreaterThan(40));

  test.each(objects)("close the object at $place and require all its keys", ({ place, schema }) => {
    expect(schema.additionalProperties).toBe(false);
    const keys = Object.keys(schema.properties ?? {});
    const mayLack = optional[place] ?? [];
    expect(schema.required ?? []).toEqual(keys.filter((key) => !mayLack.includes(key)));
  });

  test.each(objects.filter(({ schema }) => schema.properties !== undefined))(
    "have a sample above for the object at $place, with its keys in the schema's order",
    ({ schema }) => {
      const shapes = places.map(({ document, pointer }) => Object.keys(valueAt(document, pointer) ?? {}));
      expect(shapes).toContainEqual(Object.keys(schema.properties ?? {}));
    },
  );
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
