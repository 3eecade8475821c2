import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv2020, type AnySchema, type Options } from "ajv/dist/2020.js";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { type RenderedProgram, renderedProgram } from "../../../cli/publish/content/checked-program.ts";
import { publicProgram, terminalStatusTest } from "../../../cli/publish/public-program/public-program.ts";
import { defaultTerminalStatuses } from "../../../core/process/settings.ts";
import { documentPath } from "../../support/openapi-document.ts";
import { installedTools } from "../../support/partner-tools.ts";
import { anyProgramSource } from "../../support/program-source-arbitrary.ts";

const rules = { isTerminalStatus: terminalStatusTest(defaultTerminalStatuses) };
const engines = ["JavaScript", "RE2"] as const;
type Judge = (schema: string, body: string) => unknown;

/** For each engine what the OpenAPI document, formats included, says of a body. */
let judges: ReadonlyMap<(typeof engines)[number], Judge>;

beforeAll(async () => {
  const tool = createRequire(join(await installedTools(), "package.json"));
  const { RE2JS } = tool("re2js");
  const re2 = (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // Ajv takes two patterns that print alike for one.
    return { test: (text: string): boolean => compiled.matcher(text).find(), toString: () => pattern };
  };
  const regExp = Object.assign(re2, { code: "" }) as NonNullable<NonNullable<Options["code"]>["regExp"]>;
  judges = new Map([
    ["JavaScript", judgeOf(tool("ajv-formats"), {})],
    ["RE2", judgeOf(tool("ajv-formats"), { code: { regExp } })],
  ]);
});

describe.each(engines)(
  "D31 whatever the source holds, every published body fits the OpenAPI document, read by %s",
  (engine) => {
    test("with its formats", () => {
      const judge = judges.get(engine);
      let urls = 0;
      fc.assert(
        fc.property(anyProgramSource, (source) => {
          const program = publicProgram(source, rules);
          fc.pre(program.kind === "published");
          for (const [schema, body] of bodies(renderedProgram(program, "object"))) {
            expect([body, judge?.(schema, body)]).toEqual([body, null]);
            urls += body.split('Url":"https').length - 1;
          }
        }),
        { numRuns: 2000 },
      );
      expect(urls).toBeGreaterThan(500);
    });

    test.each(["https://cdn.example.com/köln.jpg", "https://a.example/a[1].jpg", "https://a.example/%zz"])(
      "a body with %s would not",
      (coverUrl) => {
        const example = readFileSync(
          new URL("../../../schemas/examples/program-detail.json", import.meta.url),
          "utf8",
        );
        const { data } = JSON.parse(example);
        const body = JSON.stringify({ data: { ...data, media: { coverUrl, galleryUrls: [] } } });
        expect(JSON.stringify(judges.get(engine)?.("ProgramDetailResponse", body))).toContain(
          '"format":"uri"',
        );
      },
    );
  },
);

/** The three bodies that a program is part of, by the name of their schema. */
function bodies({ detail, listItem, legacyItem }: RenderedProgram): readonly (readonly [string, string])[] {
  return [
    ["ProgramDetailResponse", detail],
    ["ProgramListResponse", `{"data":[${listItem}],"meta":{"count":1}}`],
    ["LegacyProgramsResponse", `{"success":true,"programs":[${legacyItem}]}`],
  ];
}

function judgeOf(addFormats: (ajv: Ajv2020, options: object) => void, options: Options): Judge {
  const ajv = new Ajv2020({ ...options, strict: false, allErrors: true });
  addFormats(ajv, { mode: "full", keywords: false });
  ajv.addSchema(JSON.parse(readFileSync(documentPath, "utf8")) as AnySchema, "document");
  return (schema, body) => {
    const isValid = ajv.getSchema(`document#/components/schemas/${schema}`);
    if (isValid === undefined) throw new TypeError(`the document has no schema ${schema}`);
    return isValid(JSON.parse(body)) ? null : isValid.errors;
  };
}
