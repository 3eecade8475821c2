import { createHash } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { flatDefinitions, referenced, type Schema, type SchemaFiles, withObjects } from "./definitions.ts";

/**
 * The generated modules and whom they serve: the gateway reads stored documents only, so it loads nothing
 * else.
 */
const modules: Readonly<Record<string, readonly string[]>> = {
  "validators-published.ts": [
    "program-list-response.schema.json",
    "program.schema.json#/$defs/ProgramListItem",
    "program-detail-response.schema.json",
    "legacy-programs-response.schema.json",
    "legacy-programs-response.schema.json#/$defs/LegacyProgram",
    "error-response.schema.json",
  ],
  "validators-stored.ts": [
    "confirmed.schema.json",
    "current.schema.json",
    "manifest.schema.json",
    "sandbox.schema.json",
    "store.schema.json",
    "tokens.schema.json",
  ],
  "validators-administration.ts": ["audit.schema.json", "last-runs.schema.json", "removed.schema.json"],
  "validators-run-report.ts": ["run-report.schema.json"],
};

/**
 * Documents of the store that a newer version may give further keys. Readers ignore the keys that they do not
 * know, so that gateways and builders need not be upgraded at the same moment. Maps, whose keys are data,
 * stay closed, and so does the registry, so that no plaintext of a token can lie beside its digest.
 */
const openDocuments = new Set([
  "confirmed.schema.json",
  "current.schema.json",
  "last-runs.schema.json",
  "manifest.schema.json",
  "removed.schema.json",
  "sandbox.schema.json",
  "store.schema.json",
]);

/** The schema without `additionalProperties: false` where an object names its properties. */
function opened(schema: unknown): object {
  return withObjects(schema, (object) => {
    const { additionalProperties, ...rest } = object;
    return additionalProperties === false && "properties" in rest ? rest : object;
  }) as object;
}

/**
 * The schemas with "a string of this form, or null" as one condition. As two alternatives its validator makes
 * three objects for each null and is twice as long, and V8 compiles it while a gateway starts. The messages
 * are the same.
 */
function withShortNullables(files: SchemaFiles): SchemaFiles {
  const definitions = flatDefinitions(files);
  const shortened = (schema: Schema, file: string): Schema =>
    withObjects(schema, (object) => {
      const [first, other, ...more] = Array.isArray(object.anyOf) ? object.anyOf : [];
      if (first?.$ref === undefined || other?.type !== "null" || more.length > 0) return object;
      const { type, pattern } = referenced(first.$ref, file, definitions).schema;
      return type === "string" && pattern !== undefined ? { type: [type, "null"], pattern } : object;
    }) as Schema;
  return new Map([...files].map(([file, schema]) => [file, shortened(schema, file)]));
}

/**
 * Validators compiled ahead of time, by file name. They import nothing at run time: a schema that needs ajv's
 * own runtime (string lengths, `uniqueItems` of unknown types, ...) is refused here.
 */
export function validatorTexts(files: SchemaFiles, banner: string): ReadonlyMap<string, string> {
  const short = withShortNullables(files);
  const texts = new Map(
    Object.entries(modules).map(([name, references]) => [name, moduleText(short, references, banner, false)]),
  );
  // Its digest is the contract in every manifest, so this text changes only with a rule.
  const published = moduleText(files, modules["validators-published.ts"] ?? [], banner, true);
  return texts.set("validators-published.ts", `${published}${contractText(published)}`);
}

/**
 * What a string that fits a pattern is, in words: the first sentence of the description beside the pattern.
 */
export function patternPhrasesText(files: SchemaFiles, banner: string): string {
  const phrases: Record<string, string> = {};
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("pattern" in value && typeof value.pattern === "string") {
      if (!("description" in value)) throw new Error(`${value.pattern} needs a description for its messages`);
      phrases[value.pattern] = phrase(String(value.description));
    }
    Object.values(value).forEach(collect);
  };
  collect([...files.values()]);
  const lines = Object.entries(phrases).map(([pattern, words]) => `  [${ascii(pattern)}, ${ascii(words)}],`);
  return `${banner}\nexport const patternPhrases: ReadonlyMap<string, string> = new Map([\n${lines.join("\n")}\n]);\n`;
}

/**
 * `tracks`: whether each function keeps track of what `unevaluatedProperties` and `$dynamicRef` would ask
 * for. No schema here has them, and without that a gateway starts sooner.
 */
function moduleText(
  files: SchemaFiles,
  references: readonly string[],
  banner: string,
  tracks: boolean,
): string {
  const ajv = new Ajv2020({
    strict: true,
    // The first fault ends the work, so that a hostile document costs no more than a good one.
    allErrors: false,
    // `../validate.ts` words the messages.
    messages: false,
    code: { source: true, esm: true, lines: true },
  });
  Object.assign(ajv.opts, { unevaluated: tracks, dynamicRef: tracks });
  for (const [file, schema] of files) {
    ajv.addSchema(openDocuments.has(file) ? opened(schema) : schema, file);
  }
  const definitions = flatDefinitions(files);
  const names = references.map((reference) => referenced(reference, "", definitions).name);
  const code = standalone.default(
    ajv,
    Object.fromEntries(names.map((name, at) => [`is${name}`, references[at] ?? ""])),
  );
  if (/\brequire\(|\bimport\b/.test(code))
    throw new Error(`the validators of ${names.join(", ")} import something`);
  const typed = code
    .replace(/^"use strict";\n?/, "")
    .replace(/^export const is(\w+) = (\w+);$/gm, "export const is$1: CompiledValidator<types.$1> = $2;");
  return [
    "// @ts-nocheck",
    banner,
    'import type { CompiledValidator } from "../validate.ts";',
    'import type * as types from "./types.ts";',
    "",
    escaped(typed),
  ].join("\n");
}

/**
 * What a response has been held against, in one word: a build need not check again the very bytes that were
 * checked by these very validators.
 */
function contractText(validators: string): string {
  const digest = createHash("sha256").update(validators).digest("hex");
  return `\n/** Changes with every rule of this module. */\nexport const publishedContract = "${digest}";\n`;
}

function phrase(description: string): string {
  const sentence = description.split(/\.(?:\s+(?=[A-Z])|$)/, 1)[0] ?? "";
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

function ascii(text: string): string {
  return escaped(JSON.stringify(text));
}

/**
 * Non-ASCII characters, which stand in string literals only, as escapes: some patterns name invisible ones.
 */
function escaped(code: string): string {
  return code.replace(/[\u0080-\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
