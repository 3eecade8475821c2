import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { quickIntegration } from "./quick-pass.ts";

const root = join(import.meta.dirname, "../..");
const sizes = join(import.meta.dirname, "quick-pass.ts");

/**
 * The test files whose every case `npm test` runs at full size: its own, unless they take a size from
 * `quick-pass.ts`, themselves or by what they import. After `npm test`, CI runs the others only (`TEST_REST=1`).
 */
export function ranWhole(): readonly string[] {
  const isTakingSizes = new Map<string, boolean>();
  const takesSizes = (file: string): boolean => {
    if (file === sizes) return true;
    const known = isTakingSizes.get(file);
    if (known !== undefined) return known;
    isTakingSizes.set(file, false);
    const takes = importsOf(file).some(takesSizes);
    isTakingSizes.set(file, takes);
    return takes;
  };
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/${name}`)
    .filter((file) => file.startsWith("test/unit/") || quickIntegration.includes(file))
    .filter((file) => !takesSizes(join(root, file)));
}

/** The modules of `test/` that a test or its support imports. */
function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(/"(\.{1,2}\/[^"]+\.ts)"/g)]
    .map(([, path = ""]) => join(dirname(file), path))
    .filter((path) => relative(root, path).startsWith("test/"));
}
