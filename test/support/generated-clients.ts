import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, runTool, type ToolFolder, type ToolResult } from "./partner-tools.ts";

/** What a generator makes of an OpenAPI document, below a work folder. */
interface Generator {
  readonly command: string;
  /** Where it writes: a folder of the work folder. */
  readonly folder: string;
  readonly args: (document: string, target: string) => readonly string[];
  /** Further words in its output that mean a fault, though it ends with 0. */
  readonly complaint?: RegExp;
}

export const generators = {
  "openapi-typescript": {
    command: "openapi-typescript",
    folder: "openapi-typescript",
    args: (document, target) => [document, "-o", join(target, "schema.ts")],
  },
  "@hey-api/openapi-ts with zod": {
    command: "openapi-ts",
    folder: "zod4/hey-api",
    args: (document, target) => [
      ...["-i", document, "-o", target, "-c", "@hey-api/client-fetch"],
      ...["-p", "@hey-api/typescript", "@hey-api/sdk", "zod"],
    ],
  },
  "@hey-api/openapi-ts with valibot": {
    command: "openapi-ts",
    folder: "hey-api-valibot",
    args: (document, target) => ["-i", document, "-o", target, "-p", "@hey-api/typescript", "valibot"],
  },
  "openapi-typescript-codegen": {
    // Another package has a command of its name, `openapi`.
    command: "../openapi-typescript-codegen/bin/index.js",
    folder: "openapi-typescript-codegen",
    args: (document, target) => ["--input", document, "--output", target],
  },
  oazapfts: {
    command: "oazapfts",
    folder: "oazapfts",
    args: (document, target) => [document, join(target, "api.ts")],
  },
  orval: {
    command: "orval",
    folder: "orval",
    args: (document, target) => [
      "--input",
      document,
      "--output",
      join(target, "client.ts"),
      "--client",
      "fetch",
    ],
    complaint: /validation failed/i,
  },
  "orval with zod": {
    command: "orval",
    folder: "zod4/orval",
    args: (document, target) => [
      "--input",
      document,
      "--output",
      join(target, "schemas.ts"),
      "--client",
      "zod",
    ],
    complaint: /validation failed/i,
  },
  "swagger-typescript-api": {
    command: "swagger-typescript-api",
    folder: "swagger-typescript-api",
    args: (document, target) => ["generate", "-p", document, "-o", target, "-n", "api.ts"],
  },
  "openapi-zod-client": {
    command: "openapi-zod-client",
    folder: "openapi-zod-client",
    args: (document, target) => [document, "-o", join(target, "client.ts"), "--export-schemas"],
  },
  kubb: {
    command: "kubb",
    folder: "zod4/kubb",
    args: () => ["generate", "--config", "kubb.config.mjs"],
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
  const { command, folder, args, complaint }: Generator = generators[name];
  await mkdir(join(work, folder), { recursive: true });
  if (name === "kubb") await writeFile(join(work, "kubb.config.mjs"), kubbConfig(document, folder));
  const { status, output } = await runTool(tools, command, args(document, join(work, folder)), work);
  return { status: status === 0 && complaint?.test(output) ? 1 : status, output };
}

function kubbConfig(document: string, folder: string): string {
  return `import { defineConfig } from "@kubb/core";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";
import { pluginZod } from "@kubb/plugin-zod";
export default defineConfig({
  root: ".",
  input: { path: ${JSON.stringify(document)} },
  output: { path: ${JSON.stringify(folder)} },
  plugins: [pluginOas(), pluginTs(), pluginZod()],
});
`;
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

/** Compiles everything below these folders of the work folder with `tsc --strict`. */
export async function compile(
  tools: ToolFolder,
  work: string,
  folders: readonly string[],
): Promise<ToolResult> {
  const include = folders.map((folder) => `${folder}/**/*.ts`);
  await writeFile(join(work, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  return runTool(tools, "tsc", ["-p", "."], work);
}

const programFolder = fileURLToPath(new URL("../partner-tools/programs/", import.meta.url));

/** Puts a program of `test/partner-tools/programs` beside what was generated; returns its folder of the work folder. */
export async function placeProgram(work: string, name: string, folder = ""): Promise<string> {
  await cp(join(programFolder, `${name}.ts`), join(work, folder, "programs", `${name}.ts`));
  return join(folder, "programs");
}

/** Bundles a placed program and runs it with Node.js. */
export async function runProgram(
  tools: ToolFolder,
  work: string,
  program: string,
  args: readonly string[],
): Promise<ToolResult> {
  const bundle = join(work, `${program.replaceAll("/", "-")}.cjs`);
  const options = [
    "--bundle",
    "--platform=node",
    "--format=cjs",
    "--log-level=warning",
    `--outfile=${bundle}`,
  ];
  const built = await runTool(tools, "esbuild", [`${program}.ts`, ...options], work);
  return built.status === 0 ? run(process.execPath, [bundle, ...args], work) : built;
}
