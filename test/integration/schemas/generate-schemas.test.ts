import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
let copy: string;

beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), "generate-schemas-"));
  await cp(join(root, "schemas"), join(copy, "schemas"), { recursive: true });
});

afterEach(() => rm(copy, { recursive: true }));

test("--check names each stale, missing and surplus file, exits 1 and writes nothing", async () => {
  await edit("generated/types.ts", (text) => `${text}\n`);
  await rm(join(copy, "schemas/generated/openapi.json"));
  await writeFile(join(copy, "schemas/generated/old.ts"), "");
  const before = await generated();

  const { status, faults } = await generate("--check");

  expect(status).toBe(1);
  const named = faults
    .trim()
    .split("\n")
    .map((line) => line.replace(/ is .*/, ""));
  expect(named).toEqual([
    "schemas/generated/old.ts",
    "schemas/generated/openapi.json",
    "schemas/generated/types.ts",
  ]);
  expect(await generated()).toEqual(before);
});

test("a change in a schema makes types, validators and OpenAPI document stale until they are generated", async () => {
  await edit("program.schema.json", (text) =>
    text.replace('"subtype": {', '"season": { "type": "string" },\n "subtype": {'),
  );
  const { faults } = await generate("--check");
  for (const name of ["types.ts", "validators-published.ts", "openapi.json"]) expect(faults).toContain(name);
  expect(faults).not.toContain("validators-stored.ts");

  // What is generated no more goes, too.
  await writeFile(join(copy, "schemas/generated/old.ts"), "");
  expect(await generate()).toEqual({ status: 0, faults: "" });
  expect(await generate("--check")).toEqual({ status: 0, faults: "" });
});

test("a reference that leads nowhere is named with its file", async () => {
  await edit("current.schema.json", (text) => text.replace("#/$defs/Hold", "#/$defs/Hald"));
  const { status, faults } = await generate();
  expect(status).toBe(1);
  expect(faults).toContain("current.schema.json refers to #/$defs/Hald, which does not exist");
});

test("a keyword that needs ajv at run time is refused", async () => {
  await edit("program.schema.json", (text) =>
    text.replace('"enum": ["active"],', '"enum": ["active"], "minLength": 1,'),
  );
  const { status, faults } = await generate();
  expect(status).toBe(1);
  expect(faults).toContain("import something");
});

interface Outcome {
  readonly status: number;
  readonly faults: string;
}

function generate(...options: string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(root, "dist/scripts/generate-schemas.js"), ...options],
      { cwd: copy },
      (error, _stdout, stderr) =>
        resolve({ status: error === null ? 0 : Number(error.code), faults: stderr }),
    );
  });
}

async function generated(): Promise<Readonly<Record<string, string>>> {
  const directory = join(copy, "schemas/generated");
  const names = (await readdir(directory)).sort();
  const texts = names.map(async (name) => [name, await readFile(join(directory, name), "utf8")] as const);
  return Object.fromEntries(await Promise.all(texts));
}

async function edit(name: string, change: (text: string) => string): Promise<void> {
  const file = join(copy, "schemas", name);
  const text = await readFile(file, "utf8");
  const changed = change(text);
  if (changed === text) throw new Error(`nothing to change in ${name}`);
  await writeFile(file, changed);
}
