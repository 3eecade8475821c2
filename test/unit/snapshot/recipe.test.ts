import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recipeDigest } from "../../../cli/snapshot/recipe.ts";

test("the recipe is that of the settings and the generator's code, and of nothing else", () => {
  const root = mkdtempSync(join(tmpdir(), "recipe-"));
  try {
    for (const folder of ["cli/reader", "core", "schemas", "gateway"])
      mkdirSync(join(root, folder), { recursive: true });
    const recipes = [recipeDigest(["a"], root), recipeDigest(["b"], root)];
    for (const [path, text] of [
      ["cli/reader/deep.js", "1"],
      ["cli/reader/deep.js", "2"],
      ["core/a.ts", "2"],
      ["schemas/a.js", "2"],
    ] as const) {
      writeFileSync(join(root, path), text);
      recipes.push(recipeDigest(["a"], root));
    }
    expect(new Set(recipes).size).toBe(6);
    for (const path of ["gateway/main.js", "core/notes.md"]) writeFileSync(join(root, path), "3");
    expect(recipeDigest(["a"], root)).toBe(recipes.at(-1));
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("the recipe of the generator itself is the same from run to run", () => {
  expect(recipeDigest(["a"])).toMatch(/^[0-9a-f]{64}$/);
  expect(recipeDigest(["a"])).toBe(recipeDigest(["a"]));
});
