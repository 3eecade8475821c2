import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  isLastRunsDocument,
  isRemovedDocument,
} from "../../../schemas/generated/validators-administration.ts";
import {
  isConfirmedDocument,
  isCurrentDocument,
  isManifestDocument,
  isSandboxDocument,
  isStoreDocument,
  isTokensDocument,
} from "../../../schemas/generated/validators-stored.ts";
import { type CompiledValidator, validate } from "../../../schemas/validate.ts";
import { objectsOf, removed, replaced } from "./mutations.ts";
import * as samples from "./stored-samples.ts";

/** Keys that a document of an earlier version may lack, by the place of the object in the schemas. */
const optional: Readonly<Record<string, readonly string[]>> = {
  "manifest.schema.json": ["source", "contentAt", "ancestors", "removed"],
  "removed.schema.json/$defs/RemovedTenant": ["isPurged", "generation"],
  "audit.schema.json/$defs/RemovalChange": ["generation"],
  "run-report.schema.json": ["underWay", "problemsOmitted", "problemCounts"],
  "run-report.schema.json/$defs/RunOptions": [
    "shard",
    "allowEmptied",
    "allowShared",
    "allowScaled",
    "allowVanished",
  ],
  "run-report.schema.json/$defs/TenantRun": [
    "confirmedAt",
    "livePrograms",
    "leftOut",
    "leftOutOmitted",
    "changes",
    "mostlyWithdrawn",
  ],
  "last-runs.schema.json/$defs/LastRunOfAll": ["overdue"],
  "last-runs.schema.json/$defs/TenantLastRun": ["differedAt", "mostlyWithdrawn"],
  "run-report.schema.json/$defs/OutcomeCounts": ["elsewhere"],
  "run-report.schema.json/$defs/ProgramCounts": ["withdrawn"],
};

test("the schema files close every object and require all its keys but those that came later", () => {
  const directory = new URL("../../../schemas/", import.meta.url);
  const files = readdirSync(directory).filter((name) => name.endsWith(".schema.json"));
  const objects = files.flatMap((name) =>
    objectSchemas(JSON.parse(readFileSync(new URL(name, directory), "utf8")), name),
  );
  expect(objects.length).toBeGreaterThan(40);
  for (const { place, schema } of objects) {
    expect(schema.additionalProperties, place).toBe(false);
    const mayLack = optional[place] ?? [];
    const keys = Object.keys(schema.properties ?? {}).filter((key) => !mayLack.includes(key));
    expect(schema.required ?? [], place).toEqual(keys);
  }
});

const stored: readonly (readonly [string, unknown, CompiledValidator<unknown>])[] = [
  ["confirmed.json", samples.confirmed, isConfirmedDocument],
  ["current.json", samples.current, isCurrentDocument],
  ["last.json", samples.lastRuns, isLastRunsDocument],
  ["manifest.json", samples.manifest, isManifestDocument],
  ["removed.json", samples.removed, isRemovedDocument],
  ["sandbox.json", samples.sandbox, isSandboxDocument],
  ["store.json", samples.store, isStoreDocument],
];

describe.each(stored)("%s", (_name, document, isDocument) => {
  /** Objects with keys of the data's choosing. */
  const isMap = (pointer: string): boolean => /\/(tenants|programs|problemCounts)$/.test(pointer);

  test("is read with a key that a later version adds to any of its objects, but not with an ill-formed id", () => {
    expect(validate(isDocument, document)).toEqual({ valid: true, document });
    for (const pointer of objectsOf(document)) {
      const added = isMap(pointer) ? "no such key" : "newer";
      const { valid } = validate(isDocument, replaced(document, `${pointer}/${added}`, null));
      expect(valid, pointer).toBe(!isMap(pointer));
    }
  });

  test("is not read without a key that the first version had", () => {
    const { format: _, ...rest } = Object(document);
    expect(validate(isDocument, rest).valid).toBe(false);
    const later = /^\/(contentAt|ancestors|removed)$|\/(isPurged|generation)$/;
    for (const [key, value] of Object.entries(Object(document))) {
      if (later.test(`/${key}`)) continue;
      expect(validate(isDocument, removed(document, `/${key}`)).valid, key).toBe(false);
      expect(validate(isDocument, replaced(document, `/${key}`, [value])).valid, key).toBe(false);
    }
  });
});

test("tokens.json is closed: a plaintext beside a digest is refused", () => {
  expect(isTokensDocument(samples.tokens)).toBe(true);
  expect(isTokensDocument(replaced(samples.tokens, "/tokens/0/token", "ppr_x"))).toBe(false);
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
