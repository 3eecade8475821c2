import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generatorDigest, recipeDigest } from "../../../cli/publish/tenant/build-context.ts";
import { cannedOptions } from "../../support/canned-source.ts";

test("P184: the generator's digest is that of the code that takes part in a build, and of nothing else", () => {
  const root = mkdtempSync(join(tmpdir(), "recipe-"));
  try {
    const rooms = ["content", "guards", "public-program", "run", "source", "tenant"];
    const folders = ["cli/database", "cli/support/pages", "core", "schemas", "gateway"];
    for (const folder of [...folders, ...rooms.map((room) => `cli/publish/${room}`)])
      mkdirSync(join(root, folder), { recursive: true });
    const digests = [generatorDigest(root)];
    for (const [path, text] of [
      ["cli/publish/source/deep.js", "1"],
      ["cli/publish/source/deep.js", "2"],
      ["core/a.ts", "2"],
      ["schemas/a.js", "2"],
    ] as const) {
      writeFileSync(join(root, path), text);
      digests.push(generatorDigest(root));
    }
    expect(new Set(digests).size).toBe(5);
    for (const path of ["gateway/main.js", "cli/support/pages/page.js", "core/notes.md"])
      writeFileSync(join(root, path), "3");
    expect(generatorDigest(root)).toBe(digests.at(-1));
  } finally {
    rmSync(root, { recursive: true });
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
