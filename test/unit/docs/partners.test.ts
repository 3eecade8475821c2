import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type ErrorCode, errorEnvelope, errorStatus } from "../../../gateway/refusal.ts";
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
