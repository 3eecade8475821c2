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
} from "../../support/generated-clients.ts";
import { type reverts, writeDocument } from "../../support/openapi-document.ts";
import { installedTools, runTool, type ToolFolder, workFolder } from "../../support/partner-tools.ts";
import { startPrism } from "../../support/prism.ts";

let tools: ToolFolder;
const works: string[] = [];

beforeAll(async () => {
  tools = await installedTools();
});

afterAll(() => Promise.all(works.map((work) => rm(work, { recursive: true, force: true }))));

type Fault = keyof typeof reverts;

async function revert(fault: Fault): Promise<{ readonly work: string; readonly document: string }> {
  const work = await workFolder(tools);
  works.push(work);
  return { work, document: await writeDocument(work, fault) };
}

/** What `tsc --strict` says of a generator's code, or the generator itself. */
async function compiled(fault: Fault, name: GeneratorName, program?: string): Promise<string> {
  const { work, document } = await revert(fault);
  const generated = await generate(tools, work, name, document);
  if (generated.status !== 0) return generated.output;
  const folders = [generators[name].folder];
  if (program !== undefined) folders.push(await placeProgram(work, program));
  return (await compile(tools, work, folders)).output;
}

async function mocked(fault: Fault, path: string, code: number): Promise<Response> {
  const { document } = await revert(fault);
  const mock = await startPrism(tools, document);
  try {
    const headers = { authorization: "Bearer any", prefer: `code=${code}` };
    const response = await fetch(mock.url + path, { headers });
    const body = await response.arrayBuffer();
    return new Response(body, response);
  } finally {
    await mock.stop();
  }
}

describe("W65 each fault that the document once had, put back, is seen by the tool that met it", () => {
  test("raw white space in a pattern: hey-api and openapi-zod-client write what does not compile", async () => {
    expect(await compiled("rawCharacters", "@hey-api/openapi-ts with zod")).toContain("error TS");
    expect(await compiled("rawCharacters", "openapi-zod-client")).toContain("error TS");
  });

  test("a documented content coding: a mock's body cannot be read", async () => {
    await expect(mocked("contentEncoding", "/v1/programs", 200)).rejects.toThrow(/terminated|fetch failed/);
  });

  test("a look-ahead: an engine of RE2's kind refuses it", async () => {
    const { document } = await revert("lookAhead");
    const { pattern } = JSON.parse(await readFile(document, "utf8")).components.schemas.CalendarDate;
    const { RE2JS } = createRequire(join(tools, "package.json"))("re2js");
    expect(() => RE2JS.compile(pattern)).toThrow(/invalid/);
  });

  test("no formats: the schemas take a day that no month has, and what is no address", async () => {
    const { work, document } = await revert("noFormat");
    await generate(tools, work, "@hey-api/openapi-ts with zod", document);
    const schemas = await readFile(join(work, "zod4/hey-api/zod.gen.ts"), "utf8");
    expect(schemas).toMatch(/zCalendarDate = z\.string\(\)\.regex\(/);
    expect(schemas).toMatch(/zHttpsUrl = z\.string\(\)\.regex\(/);
  });

  test("null in an enum: swagger-typescript-api loses it, openapi-zod-client writes what does not compile", async () => {
    const name = "swagger-typescript-api";
    expect(await compiled("nullInEnum", name, name)).toContain("error TS2322");
    expect(await compiled("nullInEnum", "openapi-zod-client")).toContain("error TS");
  });

  test("one name for a schema and a response: swagger-typescript-api types all errors as one of them", async () => {
    const name = "swagger-typescript-api";
    expect(await compiled("oneNameTwice", name, name)).toContain("error TS2322");
  });

  test("W67 closed objects: what hey-api writes for zod and valibot refuses a field that is added later", async () => {
    const { work, document } = await revert("closedObjects");
    const written = async (name: GeneratorName, file: string): Promise<string> => {
      await generate(tools, work, name, document);
      return await readFile(join(work, file), "utf8");
    };
    expect(await written("@hey-api/openapi-ts with valibot", "hey-api-valibot/valibot.gen.ts")).toContain(
      "v.strictObject(",
    );
    expect(await written("@hey-api/openapi-ts with zod", "zod4/hey-api/zod.gen.ts")).toMatch(
      /strictObject|\.strict\(\)|z\.never/,
    );
  });

  test("a schema named like a generator's own class: what openapi-typescript-codegen writes does not compile", async () => {
    expect(await compiled("ownClassName", "openapi-typescript-codegen")).toContain("error TS2300");
  });

  test("a server with a variable: orval complains", async () => {
    expect(await compiled("serverVariable", "orval")).toMatch(/validation failed/i);
  });

  test("the challenge of the 401 at the 403: the mock shows the wrong one", async () => {
    const response = await mocked("sharedChallenge", "/v1/programs", 403);
    expect(response.headers.get("www-authenticate")).not.toContain("insufficient_scope");
  });

  test("no contact: spectral warns", async () => {
    const { work, document } = await revert("noContact");
    await writeFile(join(work, "spectral.yaml"), 'extends: ["spectral:oas"]\n');
    const args = ["lint", document, "--ruleset", "spectral.yaml", "--fail-severity", "hint"];
    const { status, output } = await runTool(tools, "spectral", args, work);
    expect([status, output]).toEqual([1, expect.stringContaining("info-contact")]);
  });

  test("no 400 of the list: the mock has none to show", async () => {
    expect((await mocked("noListRefusal", "/v1/programs", 400)).status).toBe(404);
  });
});
