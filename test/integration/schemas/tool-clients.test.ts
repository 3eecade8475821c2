import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DocumentedAnswer, documentedAnswers, laterAnswer } from "../../support/later-answers.ts";
import { documentPath } from "../../support/openapi-document.ts";
import {
  installedTools,
  run,
  runTool,
  type ToolFolder,
  type ToolResult,
  workFolder,
} from "../../support/partner-tools.ts";
import { openPartnerWorld, type PartnerWorld } from "../../support/partner-world.ts";

let tools: ToolFolder;
let work: string;
let world: PartnerWorld;
/** Stands before the gateway and answers as a later version may: each object has a further field. */
let later: Server;
const kinds: Readonly<Record<DocumentedAnswer["schema"], string>> = {
  ProgramListResponse: "list",
  ProgramDetailResponse: "detail",
  LegacyProgramsResponse: "legacy",
  ErrorResponse: "error",
};

beforeAll(async () => {
  tools = await installedTools();
  work = await workFolder(tools);
  world = await openPartnerWorld();
  later = createServer(async (incoming, outgoing) => {
    const { authorization = "" } = incoming.headers;
    const answer = await fetch(world.api + incoming.url, { headers: { authorization } });
    outgoing.writeHead(answer.status, { "content-type": "application/json; charset=utf-8" });
    outgoing.end(JSON.stringify(laterAnswer(await answer.json())));
  });
  await new Promise<void>((resolve) => later.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  later?.close();
  later?.closeAllConnections();
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

  test.each(Object.keys(generators) as GeneratorName[])(
    "%s generates from it without a complaint",
    async (name) => {
      const { status, output } = await generate(tools, work, name, documentPath);
      expect(status, output).toBe(0);
    },
  );

  test("all that was generated compiles with tsc --strict, and programs that use it", async () => {
    const { status, output } = await compile(tools, work);
    expect(status, output.slice(0, 4000)).toBe(0);
  });

  test.each(["openapi-fetch", "openapi-typescript-codegen", "hey-api"])(
    "W65 %s reads the list and every detail of a real gateway, and of a later one that has added fields",
    async (program) => {
      const { port } = later.address() as AddressInfo;
      for (const api of [world.api, `http://127.0.0.1:${port}`]) {
        const { status, output } = await runProgram(tools, work, program, [api, world.token]);
        expect(status, output).toBe(0);
        const read = JSON.parse(output);
        expect(read.names).toHaveLength(world.programIds.length);
        expect(read.missing).toBe("not_found");
      }
    },
  );

  test("W65 every answer of the gateway, of the release before and of a later one fits the schemas of two generators", async () => {
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
    for (const { schema, body } of documentedAnswers()) {
      answers.push({ kind: kinds[schema], body }, { kind: kinds[schema], body: laterAnswer(body) });
    }
    const file = join(work, "answers.ndjson");
    await writeFile(file, answers.map((answer) => JSON.stringify(answer)).join("\n"));
    const { status, output } = await runProgram(tools, work, "hold-answers", [file]);
    expect(status, output).toBe(0);
    expect(JSON.parse(output)).toEqual([]);
    expect(answers.length).toBeGreaterThan(45);
  });
});

/** What a generator makes of an OpenAPI document, in a folder of its own below a work folder. */
interface Generator {
  readonly command: string;
  readonly folder: string;
  readonly args: (document: string, target: string) => readonly string[];
}

/**
 * Types alone, a client with schemas, a client of classes, schemas alone: four that differ in what they make
 * of names and formats.
 */
const generators = {
  "openapi-typescript": {
    command: "openapi-typescript",
    folder: "openapi-typescript",
    args: (document, target) => [document, "-o", join(target, "schema.ts")],
  },
  "@hey-api/openapi-ts with zod": {
    command: "openapi-ts",
    folder: "hey-api",
    args: (document, target) => [
      ...["-i", document, "-o", target, "-c", "@hey-api/client-fetch"],
      ...["-p", "@hey-api/typescript", "@hey-api/sdk", "zod"],
    ],
  },
  "openapi-typescript-codegen": {
    // Another package has a command of its name, `openapi`.
    command: "../openapi-typescript-codegen/bin/index.js",
    folder: "openapi-typescript-codegen",
    args: (document, target) => ["--input", document, "--output", target],
  },
  "orval with zod": {
    command: "orval",
    folder: "orval",
    args: (document, target) => [
      ...["--input", document, "--output", join(target, "schemas.ts"), "--client", "zod"],
    ],
  },
} satisfies Readonly<Record<string, Generator>>;

type GeneratorName = keyof typeof generators;

/** Runs a generator; its status is 1, too, when it complained and went on. */
async function generate(
  tools: ToolFolder,
  work: string,
  name: GeneratorName,
  document: string,
): Promise<ToolResult> {
  const { command, folder, args } = generators[name];
  await mkdir(join(work, folder), { recursive: true });
  const { status, output } = await runTool(tools, command, args(document, join(work, folder)), work);
  return { status: status === 0 && /validation failed/i.test(output) ? 1 : status, output };
}

const compilerOptions = {
  strict: true,
  noEmit: true,
  target: "es2022",
  module: "esnext",
  moduleResolution: "bundler",
  allowImportingTsExtensions: true,
  lib: ["es2022", "dom", "dom.iterable"],
  types: ["node"],
  // The packages' own declarations are not what is looked at.
  skipLibCheck: true,
};

const programFolder = fileURLToPath(new URL("../../partner-tools/programs/", import.meta.url));

/**
 * Compiles what was generated, and the programs of `test/partner-tools/programs` that use it, with `tsc
 * --strict`.
 */
async function compile(tools: ToolFolder, work: string): Promise<ToolResult> {
  await cp(programFolder, join(work, "programs"), { recursive: true });
  const folders = [...Object.values(generators).map(({ folder }) => folder), "programs"];
  const include = folders.map((folder) => `${folder}/**/*.ts`);
  await writeFile(join(work, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  return runTool(tools, "tsc", ["-p", "."], work);
}

/** Bundles a compiled program and runs it with Node.js. */
async function runProgram(
  tools: ToolFolder,
  work: string,
  program: string,
  args: readonly string[],
): Promise<ToolResult> {
  const bundle = join(work, `${program}.cjs`);
  const options = ["--bundle", "--platform=node", "--format=cjs", "--log-level=warning"];
  const file = `programs/${program}.ts`;
  const built = await runTool(tools, "esbuild", [file, ...options, `--outfile=${bundle}`], work);
  return built.status === 0 ? run(process.execPath, [bundle, ...args], work) : built;
}
