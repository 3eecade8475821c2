import { readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  compile,
  type GeneratorName,
  generate,
  generators,
  placeProgram,
  runProgram,
} from "../../support/generated-clients.ts";
import { laterAnswer, type ReleasedAnswer, releasedAnswers } from "../../support/later-answers.ts";
import { type LaterGateway, startLaterGateway } from "../../support/later-gateway.ts";
import { documentPath } from "../../support/openapi-document.ts";
import { installedTools, runTool, type ToolFolder, workFolder } from "../../support/partner-tools.ts";
import { openPartnerWorld, type PartnerWorld } from "../../support/partner-world.ts";

let tools: ToolFolder;
let work: string;
let world: PartnerWorld;
let later: LaterGateway;
const names = Object.keys(generators) as GeneratorName[];
const callers = [
  "openapi-fetch",
  "swagger-typescript-api",
  "oazapfts",
  "openapi-typescript-codegen",
] as const;
const kinds: Readonly<Record<ReleasedAnswer["schema"], string>> = {
  ProgramListResponse: "list",
  ProgramDetailResponse: "detail",
  LegacyProgramsResponse: "legacy",
  ErrorResponse: "error",
};

beforeAll(async () => {
  tools = await installedTools();
  work = await workFolder(tools);
  world = await openPartnerWorld();
  later = await startLaterGateway(world.api);
});

afterAll(async () => {
  await later?.stop();
  await world?.close();
  if (work !== undefined) await rm(work, { recursive: true, force: true });
});

describe("W65 what partners make of the OpenAPI document", () => {
  test("redocly finds nothing in it by its strictest recommended rules", async () => {
    const args = ["lint", documentPath, "--extends", "recommended-strict", "--format", "json"];
    const { status, output } = await runTool(tools, "redocly", args, work);
    expect([status, /"problems": \[\]/.test(output)], output).toEqual([0, true]);
  });

  test("spectral finds nothing in it by the rules of spectral:oas, not even a hint", async () => {
    await writeFile(join(work, "spectral.yaml"), 'extends: ["spectral:oas"]\n');
    const args = ["lint", documentPath, "--ruleset", "spectral.yaml", "--fail-severity", "hint"];
    const { status, output } = await runTool(tools, "spectral", args, work);
    expect(status, output).toBe(0);
  });

  test.each(names)("%s generates from it without a complaint", async (name) => {
    const { status, output } = await generate(tools, work, name, documentPath);
    expect(status, output).toBe(0);
  });

  test("openapi-to-postmanv2 makes a collection with the three resources", async () => {
    const file = join(work, "collection.json");
    const { status, output } = await runTool(
      tools,
      "openapi2postmanv2",
      ["-s", documentPath, "-o", file],
      work,
    );
    expect(status, output).toBe(0);
    const { default: collection } = await import(file, { with: { type: "json" } });
    const names = JSON.stringify(collection).match(/"request":\{"name":"[^"]*"/g) ?? [];
    expect(new Set(names).size).toBe(3);
  });

  test("all that was generated compiles with tsc --strict, and programs that use it", async () => {
    for (const caller of callers) await placeProgram(work, caller);
    await placeProgram(work, "hey-api", "zod4");
    await placeProgram(work, "hold-answers", "zod4");
    const folders = [...names.map((name) => generators[name].folder), "programs", "zod4/programs"];
    const { status, output } = await compile(tools, work, folders);
    expect(status, output.slice(0, 4000)).toBe(0);
  });

  test("a date, and an address, is more than a string to a generator that knows formats", async () => {
    const schemas = await readFile(join(work, "zod4/hey-api/zod.gen.ts"), "utf8");
    expect(schemas).toContain("zCalendarDate = z.iso.date(");
    expect(schemas).toContain("zHttpsUrl = z.url(");
  });

  test.each([...callers.map((name) => `programs/${name}`), "zod4/programs/hey-api"])(
    "W65 %s reads the list and every detail of a real gateway, and of a later one that has added fields",
    async (program) => {
      for (const api of [world.api, later.url]) {
        const { status, output } = await runProgram(tools, work, program, [api, world.token]);
        expect(status, output).toBe(0);
        const read = JSON.parse(output);
        expect(read.names).toHaveLength(world.programIds.length);
        expect(read.missing).toBe("not_found");
      }
    },
  );

  test("W65 every answer of the gateway, of the release before and of a later one fits the schemas of five generators", async () => {
    const answers: object[] = [];
    const ask = async (kind: string, path: string, token: string): Promise<void> => {
      const response = await fetch(world.api + path, { headers: { authorization: `Bearer ${token}` } });
      answers.push({ kind, body: await response.json() });
    };
    await ask("list", "/v1/programs", world.token);
    await ask("legacy", "/api/v1/partner/programs", world.token);
    for (const id of world.programIds) await ask("detail", `/v1/programs/${id}`, world.token);
    for (const token of Object.values(world.refused)) await ask("error", "/v1/programs", token);
    await ask("error", "/v1/programs/-", world.token);
    await ask("error", "/v1/programs/none", world.token);
    for (const { schema, body } of releasedAnswers()) {
      answers.push({ kind: kinds[schema], body }, { kind: kinds[schema], body: laterAnswer(body) });
    }
    const file = join(work, "answers.ndjson");
    await writeFile(file, answers.map((answer) => JSON.stringify(answer)).join("\n"));
    const { status, output } = await runProgram(tools, work, "zod4/programs/hold-answers", [file]);
    expect(status, output).toBe(0);
    expect(JSON.parse(output)).toEqual([]);
    expect(answers.length).toBeGreaterThan(45);
  });

  test("an engine of RE2's kind compiles every pattern", async () => {
    const { RE2JS } = createRequire(join(tools, "package.json"))("re2js");
    const { default: document } = await import(documentPath, { with: { type: "json" } });
    const patterns = JSON.stringify(document).match(/"pattern":"(?:[^"\\]|\\.)*"/g) ?? [];
    expect(patterns.length).toBeGreaterThan(10);
    for (const pattern of patterns) RE2JS.compile(JSON.parse(`{${pattern}}`).pattern);
  });
});
