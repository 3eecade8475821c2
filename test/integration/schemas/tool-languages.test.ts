import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { laterAnswer, releasedAnswers } from "../../support/later-answers.ts";
import { documentPath } from "../../support/openapi-document.ts";
import {
  installedTools,
  run,
  runTool,
  type ToolFolder,
  type ToolResult,
  workFolder,
} from "../../support/partner-tools.ts";

const schemas = ["ProgramListResponse", "ProgramDetailResponse", "LegacyProgramsResponse", "ErrorResponse"];
const kinds: Readonly<Record<string, string>> = {
  ProgramListResponse: "list",
  ProgramDetailResponse: "detail",
  LegacyProgramsResponse: "legacy",
};
const programs = fileURLToPath(new URL("../../partner-tools/programs/", import.meta.url));
const jackson = ["core", "annotations", "databind"].map((part) => `/usr/share/java/jackson-${part}.jar`);

interface Language {
  readonly name: string;
  readonly options: readonly string[];
  /** What quicktype writes, and the program that uses it. */
  readonly generated: string;
  readonly program: string;
  /** Debian's packages that bring what it needs. */
  readonly packages: string;
  readonly isThere: boolean;
  readonly runProgram: (work: string, answers: string) => Promise<ToolResult>;
}

const languages: readonly Language[] = [
  {
    name: "java",
    // Debian has no module of Jackson for the newer classes of dates.
    options: ["--datetime-provider", "legacy"],
    generated: "Converter.java",
    program: "HoldAnswers.java",
    packages: "default-jdk-headless, libjackson2-databind-java",
    isThere: existsSync("/usr/bin/javac") && jackson.every((jar) => existsSync(jar)),
    async runProgram(work, answers) {
      const converter = join(work, "Converter.java");
      // Debian's build of Jackson declares an IOException where Jackson's own declares the narrower one.
      const text = (await readFile(converter, "utf8")).replaceAll(
        "throws JsonProcessingException",
        "throws IOException",
      );
      await writeFile(converter, text);
      const compiled = await run("sh", ["-c", `javac -cp ${jackson.join(":")} -d out *.java`], work);
      if (compiled.status !== 0) return compiled;
      return await run("java", ["-cp", ["out", ...jackson].join(":"), "HoldAnswers", answers], work);
    },
  },
  {
    name: "python",
    options: [],
    generated: "answers.py",
    program: "hold_answers.py",
    packages: "python3, python3-dateutil",
    isThere: existsSync("/usr/lib/python3/dist-packages/dateutil"),
    runProgram: (work, answers) => run("/usr/bin/python3", ["hold_answers.py", answers], work),
  },
  {
    name: "go",
    options: [],
    generated: "answers.go",
    program: "hold_answers.go",
    packages: "golang-go",
    isThere: existsSync("/usr/bin/go"),
    runProgram: (work, answers) => {
      const env = `GO111MODULE=off GOPATH=${work} GOCACHE=${work}/cache`;
      return run("sh", ["-c", `${env} go run answers.go hold_answers.go "$0"`, answers], work);
    },
  },
];

let tools: ToolFolder;
let work: string;
let answers: string;
let names: readonly string[];

beforeAll(async () => {
  tools = await installedTools();
  work = await workFolder(tools);
  answers = join(work, "answers.tsv");
  const all = releasedAnswers().flatMap(({ schema, body }) => [
    [schema, body] as const,
    [schema, laterAnswer(body)] as const,
  ]);
  await writeFile(
    answers,
    all.map(([schema, body]) => `${kinds[schema] ?? "error"}\t${JSON.stringify(body)}\n`).join(""),
  );
  names = all.flatMap(([, body]) => namesIn(Object(body)));
});
afterAll(() => rm(work, { recursive: true, force: true }));

describe("W65 quicktype's code", () => {
  for (const { name, options, generated, program, packages, isThere, runProgram } of languages) {
    test.skipIf(!isThere)(
      `in ${name} reads each released answer, and the same with added fields (needs ${packages})`,
      async () => {
        const folder = join(work, name);
        await mkdir(folder);
        const roots = schemas.map((schema) => `${documentPath}#/components/schemas/${schema}`);
        const usual = ["--telemetry", "disable", "--src-lang", "schema", "--lang", name];
        const written = await runTool(
          tools,
          "quicktype",
          [...usual, ...options, "-o", join(folder, generated), ...roots],
          work,
        );
        expect(written.status, written.output).toBe(0);
        await cp(join(programs, program), join(folder, program));
        const { status, output } = await runProgram(folder, answers);
        expect(status, output).toBe(0);
        expect(output.trim().split("\n")).toEqual(names);
      },
    );
  }
});

/** What the programs print of an answer: the names of its programs, or the code of its error. */
function namesIn({ data, programs: legacy, error }: Record<string, unknown>): readonly string[] {
  if (error !== undefined) return [Object(error).code];
  return [legacy ?? data].flat().map((program) => Object(program).name);
}
