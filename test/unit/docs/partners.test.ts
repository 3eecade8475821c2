import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ErrorCode, errorEnvelope, errorStatus } from "../../../gateway/error-envelope.ts";
import { isErrorResponse } from "../../../schemas/generated/validators-published.ts";
import { codeBlocks, inlineCode, page, projectRoot, tableAfter } from "../../support/markdown.ts";

const { text } = page("docs/partners.md");

describe("the partner guide", () => {
  const examples = codeBlocks(text).flatMap(({ mark, code }) => {
    const name = /^example: (.+\.json)$/.exec(mark ?? "")?.[1];
    return name === undefined ? [] : [[name, code] as const];
  });

  test.each(examples)("shows the example %s as it is", (name, code) => {
    const file = readFileSync(join(projectRoot, "schemas/examples", name), "utf8");
    expect(JSON.parse(code)).toEqual(JSON.parse(file));
  });

  test("shows both resources, the legacy one and an error", () => {
    expect(examples.map(([name]) => name)).toEqual([
      "program-list.json",
      "program-detail.json",
      "program-detail-sparse.json",
      "legacy-programs.json",
    ]);
    const errors = codeBlocks(text).filter(
      ({ language, code }) => language === "json" && code.includes('"error"'),
    );
    expect(errors.map(({ code }) => isErrorResponse(JSON.parse(code)))).toEqual([true]);
  });

  test.each(objects())("describes %s field by field, in the order of the wire", (name, properties) => {
    const rows = tableAfter(text, `\n### ${name}\n`);
    expect(rows.map(([field]) => field)).toEqual(properties.map(({ field }) => `\`${field}\``));
  });

  test.each(objects())("says of each field of %s whether it may be null", (name, properties) => {
    const rows = tableAfter(text, `\n### ${name}\n`);
    const nullable = rows.filter(([, type]) => /,? or null$/.test(type ?? "")).map(([field]) => field);
    expect(nullable).toEqual(
      properties.filter(({ mayBeNull }) => mayBeNull).map(({ field }) => `\`${field}\``),
    );
  });

  test("lists the seven errors with their status and message", () => {
    const rows = tableAfter(text, "\n## Errors\n").map(([status, code, message]) => [status, code, message]);
    const codes: readonly ErrorCode[] = [
      "invalid_request",
      "unauthorized",
      "forbidden",
      "not_found",
      "method_not_allowed",
      "rate_limit_exceeded",
      "internal_error",
    ];
    expect(rows).toEqual(
      codes.map((code) => [
        String(errorStatus(code)),
        `\`${code}\``,
        JSON.parse(errorEnvelope(code, "1")).error.message,
      ]),
    );
  });

  test("names every header that the description of the API names", () => {
    const openapi = readFileSync(join(projectRoot, "schemas/generated/openapi.json"), "utf8");
    const headers = Object.keys(JSON.parse(openapi).components.headers);
    const named = tableAfter(text, "What you get:").flatMap(([cell]) => inlineCode(cell ?? ""));
    expect(headers.filter((header) => !named.includes(header))).toEqual([]);
  });
});

interface Property {
  readonly field: string;
  readonly mayBeNull: boolean;
}

/** The schema's objects with the fields that the guide lists for them: those of the list once. */
function objects(): readonly (readonly [name: string, properties: readonly Property[]])[] {
  const file = readFileSync(join(projectRoot, "schemas/program.schema.json"), "utf8");
  const definitions: Record<string, { readonly properties: Record<string, object> }> = JSON.parse(file).$defs;
  const inList = definitions.ProgramListItem?.properties ?? {};
  return Object.entries(definitions).map(([name, { properties }]) => [
    name,
    Object.entries(properties)
      .filter(([field]) => name !== "ProgramDetail" || !(field in inList))
      .map(([field, schema]) => ({ field, mayBeNull: JSON.stringify(schema).includes('"null"') })),
  ]);
}
