import { describe, expect, test } from "vitest";
import openapi from "../../../schemas/generated/openapi.json" with { type: "json" };
import {
  isErrorResponse,
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import scalars from "../../../schemas/scalars.schema.json" with { type: "json" };
import { type CompiledValidator, validate } from "../../../schemas/validate.ts";
import { valueAt } from "./mutations.ts";

const always = ["X-Request-Id", "Cache-Control"];
const quota = ["RateLimit", "RateLimit-Policy"];
const snapshot = ["Snapshot-Id", "Snapshot-Generated-At", "Snapshot-Confirmed-At"];
const ok = [...always, ...quota, ...snapshot, "Vary"];
const errorHeaders = {
  400: [...always, ...quota],
  401: [...always, "WWW-Authenticate"],
  403: [...always, ...quota, "WWW-Authenticate"],
  404: [...always, ...quota, ...snapshot],
  405: [...always, "Allow"],
  429: [...always, ...quota, "Retry-After"],
  500: [...always, ...quota],
};
const { 404: _missing, ...withoutMissing } = errorHeaders;
/** Without an id, the message alone can be invalid: that is found before the token is looked at. */
const listErrorHeaders = { ...withoutMissing, 400: always };
const codes: Readonly<Record<string, string>> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  429: "rate_limit_exceeded",
  500: "internal_error",
};

interface Resource {
  readonly path: string;
  readonly isSuccess: CompiledValidator<unknown>;
  readonly successSchema: string;
  /** Status → headers, from the specification and the wire rules. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly everywhere: readonly string[];
}
const resources: readonly Resource[] = [
  {
    path: "/v1/programs",
    isSuccess: isProgramListResponse,
    successSchema: "ProgramListResponse",
    headers: { 200: [...ok, "Snapshot-Changed"], ...listErrorHeaders },
    everywhere: [],
  },
  {
    path: "/v1/programs/{programId}",
    isSuccess: isProgramDetailResponse,
    successSchema: "ProgramDetailResponse",
    headers: { 200: ok, ...errorHeaders },
    everywhere: [],
  },
  {
    path: "/api/v1/partner/programs",
    isSuccess: isLegacyProgramsResponse,
    successSchema: "LegacyProgramsResponse",
    headers: { 200: ok, ...listErrorHeaders },
    everywhere: ["Deprecation", "Link", "Sunset"],
  },
];

/** The document as a tool sees it that has followed every local reference but those into `components/schemas`. */
const document = resolved(openapi);

test("the document has exactly the three resources, with GET only", () => {
  expect(Object.keys(openapi.paths)).toEqual(resources.map(({ path }) => path));
  for (const item of Object.values(openapi.paths)) {
    expect(Object.keys(item).sort()).toEqual(["get", "parameters"]);
    expect(item.get).not.toHaveProperty("requestBody");
    expect(item.get).not.toHaveProperty("parameters");
  }
});

test("no resource takes a query parameter; all take an optional X-Request-Id, the list a Snapshot-Since", () => {
  for (const { path } of resources) {
    const parameters: readonly { name: string; in: string; required: boolean }[] = at(path, "/parameters");
    expect(parameters.map((parameter) => `${parameter.in} ${parameter.name} ${parameter.required}`)).toEqual([
      ...(path.includes("{") ? ["path programId true"] : []),
      "header X-Request-Id false",
      ...(path === "/v1/programs" ? ["header Snapshot-Since false"] : []),
    ]);
  }
});

test("every resource requires a bearer token, whose scope programs.read is described", () => {
  expect(openapi.security).toEqual([{ partnerToken: [] }]);
  const { partnerToken } = openapi.components.securitySchemes;
  expect(partnerToken).toMatchObject({ type: "http", scheme: "bearer" });
  expect(partnerToken.description).toContain("`programs.read`");
  expect(JSON.stringify(openapi.paths)).not.toContain('"security"');
});

describe.each(resources)("GET $path", ({ path, isSuccess, successSchema, headers, everywhere }) => {
  test("has every status of the specification and no other", () => {
    expect(Object.keys(at(path, "/get/responses"))).toEqual(Object.keys(headers));
  });

  test.each(Object.keys(headers))("%s has all its headers and no other", (status) => {
    const described = Object.keys(at(path, `/get/responses/${status}/headers`));
    // A message is refused before its path is looked at.
    const ofPath = status === "400" ? [] : everywhere;
    expect(described.sort()).toEqual([...(headers[status] ?? []), ...ofPath].sort());
  });

  test.each(Object.keys(headers))("%s has a body of its schema, with examples that fit it", (status) => {
    const body = at(path, `/get/responses/${status}/content/application~1json`);
    const schema = status === "200" ? successSchema : "ErrorResponse";
    expect(body.schema).toEqual({ $ref: `#/components/schemas/${schema}` });
    const examples: readonly { summary: string; value: unknown }[] = Object.values(body.examples);
    expect(examples.length).toBeGreaterThan(0);
    for (const { summary, value } of examples) {
      expect(summary).toMatch(/\S/);
      expect(validate(status === "200" ? isSuccess : isErrorResponse, value)).toMatchObject({ valid: true });
      if (status !== "200") expect(value).toMatchObject({ error: { code: codes[status] } });
    }
  });
});

describe("W65 the document is one that common tools take", () => {
  test("what the validators accept fits the patterns of the document", () => {
    const text = new RegExp(openapi.components.schemas.Text.pattern, "u");
    const strict = new RegExp(scalars.$defs.Text.pattern, "u");
    const unlike: string[] = [];
    for (let code = 0; code <= 0xffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (strict.test(character) && !text.test(character)) unlike.push(code.toString(16));
    }
    expect(unlike).toEqual([]);
    for (const name of ["CalendarDate", "Instant"] as const) {
      const loose = new RegExp(openapi.components.schemas[name].pattern, "u");
      for (const sample of ["0001-01-01", "2024-02-29", "9999-12-31"]) {
        const value = name === "Instant" ? `${sample}T23:59:59.123456789Z` : sample;
        expect([new RegExp(scalars.$defs[name].pattern, "u").test(value), loose.test(value)]).toEqual([
          true,
          true,
        ]);
      }
    }
  });
});

/** What stands at a place below a path item. */
function at(path: string, pointer: string) {
  return Object(valueAt(document, `/paths/${path.replaceAll("/", "~1")}${pointer}`));
}

function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value && typeof value.$ref === "string") {
    return value.$ref.startsWith("#/components/schemas/")
      ? value
      : resolved(valueAt(openapi, value.$ref.slice(1)));
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part)]));
}
