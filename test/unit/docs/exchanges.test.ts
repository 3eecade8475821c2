import { describe, expect, test } from "vitest";
import exchanges from "../../../docs/exchanges.json" with { type: "json" };
import openapi from "../../../schemas/generated/openapi.json" with { type: "json" };
import {
  isErrorResponse,
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import { connectionHeaders } from "../../../scripts/partner-pages/examples-page.ts";

describe("the recorded answers of docs/exchanges.json (renew: npm run generate:exchanges)", () => {
  test("there is one of each status but 500, and no token in them", () => {
    const statuses = new Set(exchanges.map(({ status }) => status));
    expect([...statuses].sort()).toEqual([200, 400, 401, 403, 404, 405, 429]);
    expect(JSON.stringify(exchanges)).not.toContain("ppr_");
  });

  test.each(exchanges.map((exchange) => [exchange.name, exchange] as const))(
    "%s has a body that the schemas take",
    (name, { body, status }) => {
      const isBody =
        status !== 200
          ? isErrorResponse
          : name.startsWith("list")
            ? isProgramListResponse
            : name === "legacy"
              ? isLegacyProgramsResponse
              : isProgramDetailResponse;
      expect(isBody(body)).toBe(true);
    },
  );

  test.each(exchanges.map((exchange) => [exchange.name, exchange] as const))(
    "%s has the headers that the document names, in its spelling",
    (_name, { path, status, headers }) => {
      expect(Object.keys(headers).filter((name) => connectionHeaders.includes(name))).toEqual([]);
      const known = Object.keys(openapi.components.headers).concat("Content-Type");
      expect(Object.keys(headers).filter((name) => !known.includes(name))).toEqual([]);
      const { paths }: { paths: Record<string, { get: { responses: Record<string, object> } }> } = openapi;
      const template = path.replace(/^(\/v1\/programs\/).+$/, "$1{programId}");
      const response = paths[template]?.get.responses[String(status)];
      if (response === undefined) return expect(path).toBe("/v1/program");
      const required = requiredHeaders(response);
      expect(required.filter((name) => !(name in headers))).toEqual([]);
      expect(required.length).toBeGreaterThan(1);
    },
  );
});

interface Part {
  readonly $ref?: string;
  readonly required?: boolean;
  readonly headers?: Readonly<Record<string, Part>>;
}

function requiredHeaders(response: Part): readonly string[] {
  return Object.entries(target(response).headers ?? {})
    .filter(([, header]) => target(header).required === true)
    .map(([name]) => name);
}

function target(part: Part): Part {
  if (part.$ref === undefined) return part;
  let found: unknown = openapi;
  for (const step of part.$ref.slice(2).split("/")) found = Object(found)[step];
  return Object(found);
}
