import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { page, projectRoot } from "../../support/markdown.ts";
import { removed, replaced } from "./mutations.ts";

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
  const schemas = "/components/schemas";
  const list = "/paths/~1v1~1programs/get";

  test.each([
    "/paths/~1v1~1programs",
    `${list}/responses/429`,
    "/components/headers/Retry-After/required",
    `${schemas}/ProgramDetail/properties/hotels`,
  ])("finds that %s is gone", (pointer) => {
    expect(breakingChanges(current(), removed(current(), pointer)).join()).toContain(lastOf(pointer));
  });

  const apiKey = { type: "apiKey", in: "header", name: "X-Api-Key" };
  const mayBeNull = { anyOf: [{ type: "string" }, { type: "null" }] };
  const { required } = program(current());
  test.each<readonly [pointer: string, value: unknown]>([
    [`${schemas}/ProgramDetail/required`, required.filter((name: string) => name !== "media")],
    [`${schemas}/Guide/properties/name`, mayBeNull],
    [`${schemas}/ProgramDetail/properties/status/enum`, ["active", "ended"]],
    [`${schemas}/ErrorDetail/properties/message/type`, ["string", "null"]],
    ["/components/parameters/X-Request-Id/required", true],
    [`${list}/requestBody`, { required: true, content: {} }],
    ["/components/securitySchemes/partnerToken", apiKey],
  ])("finds that %s is %j", (pointer, value) => {
    expect(breakingChanges(current(), replaced(current(), pointer, value)).join()).toContain(lastOf(pointer));
  });

  test("takes an addition as it is", () => {
    const changed = current();
    program(changed).properties.season = { type: ["string", "null"], description: "New." };
    changed.paths["/v1/programs"].get.responses[200].headers["Snapshot-New"] = { schema: { type: "string" } };
    expect(breakingChanges(current(), changed)).toEqual([]);
  });
});

const lastOf = (pointer: string): string => pointer.split("/").at(-1)?.replaceAll("~1", "/") ?? "";

// biome-ignore lint/suspicious/noExplicitAny: both documents are looked into wherever they differ
type Part = any;

/**
 * What of an OpenAPI document of a read-only API would break a client that was written for an earlier one:
 * whatever that one says and this one does not, a value that an answer could not have before, and what a
 * request has to have now. Additions are none.
 */
function breakingChanges(released: unknown, current: unknown): readonly string[] {
  return missing("", promises(released), promises(current));
}

function promises(document: Part): Part {
  const { paths, security, components } = followed(document, document);
  return { paths, security, securitySchemes: components.securitySchemes };
}

/** With every reference followed, parameters by their names, and without words for people. */
function followed(root: Part, part: Part): Part {
  if (Array.isArray(part)) return part.map((each) => followed(root, each));
  if (typeof part !== "object" || part === null) return part;
  const { $ref, oneOf, parameters, ...own } = part;
  if (typeof $ref === "string") {
    const steps: readonly string[] = $ref.slice(2).split("/");
    return followed(root, { ...steps.reduce((value: Part, key) => value?.[key], root), ...own });
  }
  if (oneOf !== undefined) return errorOf(followed(root, oneOf));
  const named = Array.isArray(parameters)
    ? { parameters: Object.fromEntries(parameters.map((each) => byName(followed(root, each)))) }
    : parameters && { parameters };
  const parts = Object.entries<Part>({ ...own, ...named }).filter(
    ([name, value]) => !isForPeople(name, value),
  );
  return Object.fromEntries(parts.map(([name, value]) => [name, followed(root, value)]));
}

const byName = (parameter: Part) => [`${parameter.in} ${parameter.name}`, parameter] as const;

/**
 * A field of a program may be called `description`. That objects are closed, the first release said, and
 * nobody relied on.
 */
function isForPeople(name: string, value: unknown): boolean {
  const isText = typeof value === "string" && /^(description|summary|bearerFormat)$/.test(name);
  return isText || /^(examples?|additionalProperties)$/.test(name);
}

/** The first release had an alternative for each code of an error. No wording of messages is promised. */
function errorOf(alternatives: readonly Part[]): Part {
  const codes = alternatives.map(({ properties }) => properties.code.const);
  const properties = { code: { type: "string", enum: codes }, message: { type: "string" } };
  return { type: "object", properties, required: ["code", "message"] };
}

function missing(where: string, was: Part, now: Part): readonly string[] {
  const place = where.split(".").at(-1) ?? "";
  if (place === "required" && Array.isArray(was))
    return was.filter((name) => !now?.includes(name)).map((name) => `${where}: ${name} became optional`);
  if (/^(enum|type)$/.test(place) && (typeof was === "string" || Array.isArray(was))) {
    const added = [now].flat().filter((value) => ![was].flat().includes(value));
    return added.map((value) => `${where}: ${value} added`);
  }
  if (typeof was !== "object" || was === null) return was === now ? [] : [`${where}: ${was} is ${now} now`];
  if (typeof now !== "object" || now === null) return [`${where}: removed`];
  const needed = Object.entries<Part>(now).filter(
    ([name, part]) => !(name in was) && part?.required === true,
  );
  return [
    ...needed.map(([name]) => `${where}.${name}: became required`),
    ...Object.entries(was).flatMap(([name, part]) => missing(`${where}.${name}`, part, now[name])),
    ...(Array.isArray(was) && was.length !== now.length ? [`${where}: may be something else`] : []),
  ];
}
