import { expect, test } from "vitest";
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

const codes: Readonly<Record<string, string>> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  429: "rate_limit_exceeded",
  500: "internal_error",
};
const successes: Readonly<Record<string, CompiledValidator<unknown>>> = {
  "/v1/programs": isProgramListResponse,
  "/v1/programs/{programId}": isProgramDetailResponse,
  "/api/v1/partner/programs": isLegacyProgramsResponse,
};

// That nothing of them is lost, `compatibility.test.ts` holds against the released document.
test("the document has exactly the three resources, with GET only and no query parameter", () => {
  expect(Object.keys(openapi.paths)).toEqual(Object.keys(successes));
  for (const item of Object.values(openapi.paths)) {
    expect(Object.keys(item).sort()).toEqual(["get", "parameters"]);
    expect(item.get).not.toHaveProperty("requestBody");
    expect(item.get).not.toHaveProperty("parameters");
    expect(JSON.stringify(item.parameters)).not.toContain('"query"');
  }
  expect(JSON.stringify(openapi.components.parameters)).not.toContain('"query"');
});

test.each(Object.entries(successes))("the examples of GET %s fit their schemas", (path, isSuccess) => {
  const responses = Object(followed(openapi.paths)[path]).get.responses;
  for (const [status, { content }] of Object.entries<Answer>(responses)) {
    const examples = Object.values(content["application/json"].examples);
    expect(examples.length).toBeGreaterThan(0);
    for (const { summary, value } of examples) {
      expect(summary).toMatch(/\S/);
      expect(validate(status === "200" ? isSuccess : isErrorResponse, value)).toMatchObject({ valid: true });
      if (status !== "200") expect(value).toMatchObject({ error: { code: codes[status] } });
    }
  }
});

interface Answer {
  readonly content: {
    readonly "application/json": {
      readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
    };
  };
}

/** The part with every reference followed but those to schemas, of which some lead to themselves. */
function followed(part: unknown): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(part, (_, value) => {
    const reference: string | undefined = Object(value).$ref;
    if (reference === undefined || reference.startsWith("#/components/schemas/")) return value;
    return valueAt(openapi, reference.slice(1));
  });
  return JSON.parse(text);
}

test("W65 the document is one that common tools take: what the validators accept fits the patterns of the document", () => {
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
