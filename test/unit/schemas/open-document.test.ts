import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { sandboxPrograms } from "../../../cli/partners/sandbox/sandbox-programs.ts";
import openapi from "../../../schemas/generated/openapi.json" with { type: "json" };
import {
  isErrorResponse,
  isLegacyProgramsResponse,
  isProgramDetailResponse,
  isProgramListResponse,
} from "../../../schemas/generated/validators-published.ts";
import { exampleAnswers } from "../../../scripts/examples/example-answers.ts";
import { documentedAnswers, laterAnswer } from "../../support/later-answers.ts";
import { example } from "./mutations.ts";

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { date: true, uri: true, "date-time": true },
});
ajv.addSchema(openapi, "document");
const strict = {
  ErrorResponse: isErrorResponse,
  LegacyProgramsResponse: isLegacyProgramsResponse,
  ProgramDetailResponse: isProgramDetailResponse,
  ProgramListResponse: isProgramListResponse,
};

describe.each(documentedAnswers())("W65 the answer $name", ({ schema, body }) => {
  const isDocumented = ajv.getSchema(`document#/components/schemas/${schema}`);
  const isPublished = (value: unknown) => strict[schema](value);

  test("fits the document with a further field in each object, which our validators refuse", () => {
    expect([isDocumented?.(laterAnswer(body)), isDocumented?.errors]).toEqual([true, null]);
    expect([isPublished(body), isPublished(laterAnswer(body))]).toEqual([true, false]);
  });
});

test.each(Object.entries<object>(openapi.components.schemas))(
  "%s, and each of its fields, has a meaning",
  (name, schema) => {
    const fields = Object.entries<object>(Object(schema).properties ?? {});
    const bare = [[name, schema] as const, ...fields].filter(([, part]) => {
      return !/^\S.{8,}[.]$/s.test(String(Object(part).description ?? ""));
    });
    expect(bare.map(([field]) => field)).toEqual([]);
  },
);

test("the id that the document asks for is one of a program of the sandbox, and nothing says that snapshot ids are in order", () => {
  const [parameter] = openapi.paths["/v1/programs/{programId}"].parameters;
  const program = sandboxPrograms.find(({ programId }) => programId === Object(parameter).example);
  expect(program?.lifecycleState).toBe("active");
  const { description } = openapi.components.headers["Snapshot-Id"];
  expect(description + openapi.components.schemas.SnapshotId.description).not.toMatch(/sort/i);
});

test.each([...exampleAnswers()])(
  "%s is what the sandbox answers (renew: npm run generate:examples)",
  (name, answer) => expect(example(name)).toEqual(answer),
);
