import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, runTool, type ToolFolder, type ToolResult } from "./partner-tools.ts";

/** What a generator makes of an OpenAPI document, in a folder of its own below a work folder. */
interface Generator {
  readonly command: string;
  readonly folder: string;
  readonly args: (document: string, target: string) => readonly string[];
}

/** Types alone, a client with schemas, a client of classes, schemas alone: four that differ in what they make of names and formats. */
export const generators = {
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

export type GeneratorName = keyof typeof generators;

/** Runs a generator; its status is 1, too, when it complained and went on. */
export async function generate(
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

const programFolder = fileURLToPath(new URL("../partner-tools/programs/", import.meta.url));

/** Compiles what was generated, and the programs of `test/partner-tools/programs` that use it, with `tsc --strict`. */
export async function compile(tools: ToolFolder, work: string): Promise<ToolResult> {
  await cp(programFolder, join(work, "programs"), { recursive: true });
  const folders = [...Object.values(generators).map(({ folder }) => folder), "programs"];
  const include = folders.map((folder) => `${folder}/**/*.ts`);
  await writeFile(join(work, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  return runTool(tools, "tsc", ["-p", "."], work);
}

/** Bundles a compiled program and runs it with Node.js. */
export async function runProgram(
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
