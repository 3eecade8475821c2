import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { page, projectRoot } from "../../support/markdown.ts";

const folder = join(projectRoot, "schemas/released");
const released = readdirSync(folder);
const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const current = () => read(join(projectRoot, "schemas/generated/openapi.json"));
const program = (document: ReturnType<typeof current>) => document.components.schemas.ProgramDetail;

describe("W66 the OpenAPI document", () => {
  test.each(released)("breaks nothing that %s promised", (name) => {
    expect(breakingChanges(read(join(folder, name)), current())).toEqual([]);
  });

  test("has its version's line in the partners' changelog, and each released one is kept", () => {
    const versions = [...page("docs/partner-changes.md").text.matchAll(/^### (\d+\.\d+\.\d+)/gm)].map(
      ([, version]) => version,
    );
    expect(versions[0]).toBe(current().info.version);
    expect(released.sort()).toEqual(versions.map((version) => `openapi-${version}.json`).sort());
  });
});

describe("the search for breaking changes", () => {
  test.each<readonly [string, RegExp, (document: ReturnType<typeof current>) => void]>([
    ["a path", /path removed/, ({ paths }) => delete paths["/v1/programs"]],
    ["a status", /429: status removed/, ({ paths }) => delete paths["/v1/programs"].get.responses[429]],
    [
      "an optional header",
      /Retry-After became optional/,
      ({ components }) => delete components.headers["Retry-After"].required,
    ],
    ["a removed field", /\.hotels: removed/, (document) => delete program(document).properties.hotels],
    ["an optional field", /\.media: became optional/, (document) => program(document).required.splice(-2, 1)],
    [
      "a field that may be null",
      /may be something else|type widened/,
      ({ components }) => {
        components.schemas.Guide.properties.name = { anyOf: [{ type: "string" }, { type: "null" }] };
      },
    ],
    ["a new word", /value added/, (document) => program(document).properties.status.enum.push("ended")],
    [
      "a message that is no text",
      /message: type widened/,
      ({ components }) => {
        components.schemas.ErrorDetail.properties.message.type = ["string", "null"];
      },
    ],
    [
      "a parameter that is required",
      /became required/,
      ({ components }) => {
        components.parameters["X-Request-Id"].required = true;
      },
    ],
    [
      "a body that must be sent",
      /a body became required/,
      ({ paths }) => {
        paths["/v1/programs"].get.requestBody = { required: true, content: {} };
      },
    ],
    [
      "another way to authenticate",
      /security changed/,
      ({ components }) => {
        components.securitySchemes.partnerToken = { type: "apiKey", in: "header", name: "X-Api-Key" };
      },
    ],
  ])("finds %s", (_what, finding, change) => {
    const changed = current();
    change(changed);
    expect(breakingChanges(current(), changed).join("\n")).toMatch(finding);
  });

  test("takes an addition as it is", () => {
    const changed = current();
    program(changed).properties.season = { type: ["string", "null"], description: "New." };
    changed.paths["/v1/programs"].get.responses[200].headers["Snapshot-New"] = { schema: { type: "string" } };
    expect(breakingChanges(current(), changed)).toEqual([]);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: both documents are looked into wherever they differ
type Part = any;

/**
 * What of an OpenAPI document of a read-only API would break a client that was written for an earlier one: the rules of
 * oasdiff that concern answers, parameters and security. Additions are none. Descriptions and examples don't count.
 */
function breakingChanges(released: unknown, current: unknown): readonly string[] {
  const [one, other] = [resolved(released), resolved(current)];
  return Object.entries<Part>(one.paths).flatMap(([path, item]) => {
    const now = other.paths[path];
    if (now === undefined) return [`${path}: path removed`];
    if (now.get === undefined) return [`${path}: GET removed`];
    const mustSend = now.get.requestBody?.required && !item.get.requestBody?.required;
    return [
      ...parameterChanges(path, parametersOf(item), parametersOf(now)),
      ...(mustSend ? [`${path}: a body became required`] : []),
      ...(securityOf(one, item.get) === securityOf(other, now.get) ? [] : [`${path}: security changed`]),
      ...responseChanges(path, item.get.responses, now.get.responses),
    ];
  });
}

/** The document with every reference followed. */
function resolved(root: Part, part: Part = root): Part {
  if (Array.isArray(part)) return part.map((each) => resolved(root, each));
  if (typeof part !== "object" || part === null) return part;
  if (typeof part.$ref === "string") {
    const { $ref, ...beside } = part;
    const target = $ref
      .slice(2)
      .split("/")
      .reduce((value: Part, key: string) => value?.[key], root);
    return resolved(root, { ...target, ...beside });
  }
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, resolved(root, value)]));
}

/** What a request proves who it is with: the schemes that it names, and what each of them is. */
function securityOf({ security, components }: Part, operation: Part): string {
  const required: readonly Part[] = operation.security ?? security ?? [];
  const names = required.flatMap((choice) => Object.keys(choice));
  // Its format is a hint for people.
  return shape([required, names.map((name) => ({ ...components.securitySchemes[name], bearerFormat: "" }))]);
}

function parametersOf({ parameters = [], get }: Part): ReadonlyMap<string, Part> {
  const all: readonly Part[] = [...parameters, ...(get.parameters ?? [])];
  return new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
}

function parameterChanges(
  path: string,
  before: ReadonlyMap<string, Part>,
  after: ReadonlyMap<string, Part>,
): readonly string[] {
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const changed = [...after].flatMap(([name, now]) => {
    const was = before.get(name);
    return [
      ...(now.required && !was?.required ? [`${path}: ${name} became required`] : []),
      ...(was === undefined || shape(was.schema) === shape(now.schema)
        ? []
        : [`${path}: ${name} is described otherwise`]),
    ];
  });
  return [...changed, ...gone.map((name) => `${path}: ${name} removed`)];
}

function responseChanges(path: string, before: Part, after: Part): readonly string[] {
  return Object.entries<Part>(before).flatMap(([status, was]) => {
    const where = `${path} ${status}`;
    const now = after[status];
    if (now === undefined) return [`${where}: status removed`];
    const headers = Object.entries<Part>(was.headers ?? {}).flatMap(([name, header]) => {
      const kept = now.headers?.[name];
      if (kept === undefined) return [`${where}: header ${name} removed`];
      if (header.required && !kept.required) return [`${where}: header ${name} became optional`];
      return shape(header.schema) === shape(kept.schema)
        ? []
        : [`${where}: header ${name} is described otherwise`];
    });
    const bodies = Object.entries<Part>(was.content ?? {}).flatMap(([type, { schema }]) => {
      const kept = now.content?.[type]?.schema;
      return kept === undefined ? [`${where}: ${type} removed`] : schemaChanges(where, schema, kept);
    });
    return [...headers, ...bodies];
  });
}

/** What an answer may be now that it could not be before, or has no more. */
function schemaChanges(where: string, was: Part, now: Part): readonly string[] {
  const alternatives = asOne(was.anyOf ?? was.oneOf);
  const others = asOne(now.anyOf ?? now.oneOf) ?? [now];
  if (alternatives !== undefined || others.length > 1) {
    const fits = (part: Part): boolean =>
      (alternatives ?? [was]).some((old) => schemaChanges(where, old, part).length === 0);
    return others.every(fits) ? [] : [`${where}: may be something else`];
  }
  const found: string[] = [];
  const types = [was.type].flat();
  if (![now.type].flat().every((type) => types.includes(type))) found.push(`${where}: type widened`);
  const words = was.enum ?? (was.const === undefined ? undefined : [was.const]);
  const wordsNow = now.enum ?? (now.const === undefined ? undefined : [now.const]);
  if (words !== undefined && !(wordsNow?.every((word: unknown) => words.includes(word)) ?? false))
    found.push(`${where}: value added to an enumeration`);
  for (const bound of ["minimum", "exclusiveMinimum", "maximum", "pattern", "format"])
    if (was[bound] !== undefined && was[bound] !== now[bound]) found.push(`${where}: ${bound} changed`);
  if (was.items !== undefined) found.push(...schemaChanges(`${where}[]`, was.items, now.items ?? {}));
  for (const [name, property] of Object.entries<Part>(was.properties ?? {})) {
    const place = `${where}.${name}`;
    const kept = now.properties?.[name];
    if (kept === undefined) found.push(`${place}: removed`);
    else {
      if (was.required?.includes(name) && !now.required?.includes(name))
        found.push(`${place}: became optional`);
      // The page of changes promises no wording of messages.
      const compared = ({ type, ...more }: Part) =>
        place.endsWith(".error.message") ? { type } : { type, ...more };
      found.push(...schemaChanges(place, compared(property), compared(kept)));
    }
  }
  return found;
}

/**
 * Alternatives that are objects of the same fields, as one object whose constants are an enumeration. A client that reads one
 * of the alternatives reads the object in the same way.
 */
function asOne(parts: readonly Part[] | undefined): readonly Part[] | undefined {
  const [first, ...rest] = parts ?? [];
  const names = Object.keys(first?.properties ?? {});
  const isAlike = (part: Part): boolean =>
    Object.keys(part.properties ?? {}).join() === names.join() &&
    names.every((name) => part.properties[name].const !== undefined);
  if (rest.length === 0 || names.length === 0 || !parts?.every(isAlike)) return parts;
  const words = (name: string) => parts.map((part) => part.properties[name].const);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string", enum: words(name) }]));
  return [{ type: "object", properties, required: first.required }];
}

/** A schema without its words. */
function shape(schema: Part): string {
  return JSON.stringify(schema, (key, value) => (key === "description" ? undefined : value));
}
