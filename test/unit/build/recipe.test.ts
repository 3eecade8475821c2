import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  buildOptions,
  codeFolders,
  generatorDigest,
  recipeDigest,
} from "../../../cli/publish/tenant/build-context.ts";
import { cannedOptions } from "../../support/canned-source.ts";

test("P184: the generator's digest is that of the code that takes part in a build, and of nothing else", () => {
  const root = mkdtempSync(join(tmpdir(), "recipe-"));
  try {
    const rooms = ["content", "guards", "public-program", "run", "source", "tenant"];
    const folders = ["cli/database", "cli/support/pages", "core/process", "schemas", "gateway"];
    const shared = ["core/ground", "core/store", "core/documents"];
    for (const folder of [...folders, ...shared, ...rooms.map((room) => `cli/publish/${room}`)])
      mkdirSync(join(root, folder), { recursive: true });
    const digests = [generatorDigest(root)];
    for (const [path, text] of [
      ["cli/publish/source/deep.js", "1"],
      ["cli/publish/source/deep.js", "2"],
      ["core/store/a.ts", "2"],
      ["schemas/a.js", "2"],
    ] as const) {
      writeFileSync(join(root, path), text);
      digests.push(generatorDigest(root));
    }
    expect(new Set(digests).size).toBe(5);
    for (const path of [
      "gateway/main.js",
      "cli/support/pages/page.js",
      "core/store/notes.md",
      "core/process/a.ts",
    ])
      writeFileSync(join(root, path), "3");
    expect(generatorDigest(root)).toBe(digests.at(-1));
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("P184: whatever a build imports is in the recipe, or in a folder that decides nothing of what it publishes", () => {
  const decidesNothing = ["cli/output", "cli/publish/snapshot", "cli/shell", "core/process"];
  const reached = new Set<string>();
  const follow = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    const text = readFileSync(join(root, path), "utf8");
    for (const [, to = ""] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)"/gm)) {
      follow(join(dirname(path), to));
    }
  };
  const root = join(import.meta.dirname, "../../..");
  follow("cli/publish/run/build-run.ts");
  const isBelow = (path: string, folders: readonly string[]): boolean =>
    folders.some((folder) => path.startsWith(`${folder}/`));
  expect(reached.size).toBeGreaterThan(60);
  expect([...reached].filter((path) => !isBelow(path, [...codeFolders, ...decidesNothing]))).toEqual([]);
  for (const folder of [...codeFolders, ...decidesNothing]) {
    expect([folder, [...reached].some((path) => isBelow(path, [folder]))]).toEqual([folder, true]);
  }
});

test("the recipe is that of the generator and the settings", () => {
  const { rules } = cannedOptions;
  const others = [
    { legacyCapacity: "total" as const },
    { terminalStatuses: [] },
    { limits: { ...rules.limits, maxValueBytes: 1 } },
  ];
  const recipes = [
    recipeDigest("a", rules),
    recipeDigest("b", rules),
    ...others.map((other) => recipeDigest("a", { ...rules, ...other })),
  ];
  expect(new Set(recipes).size).toBe(5);
  expect(recipeDigest("a", rules)).toBe(recipes[0]);
});

test("P226: what a command does not force is not allowed; a watch forces nothing", () => {
  const settings = { terminalStatuses: [], legacyCapacity: "object", sharedPrograms: "refuse" };
  const { allowShrink, allowEmptied, allowShared, allowScaled, allowVanished, rewrite, dryRun } =
    buildOptions({}, settings as unknown as Parameters<typeof buildOptions>[1]);
  const forced = [allowShrink, allowEmptied, allowShared, allowScaled, allowVanished, rewrite, dryRun];
  expect(forced).toEqual(forced.map(() => false));
});
