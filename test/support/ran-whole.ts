import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { quickIntegration } from "./quick-pass.ts";

const root = join(import.meta.dirname, "../..");
/** Files that import them may not have run whole, or run on another server now. */
const sizes = join(import.meta.dirname, "quick-pass.ts");
const database = join(import.meta.dirname, "postgres.ts");

/**
 * The test files whose every case `npm test` runs at full size: its own, unless they take a size from
 * `quick-pass.ts`, or ask a database where `TEST_DATABASE_URL` names another one. After `npm test`, CI runs
 * the others only (`TEST_REST=1`).
 */
export function ranWhole(): readonly string[] {
  const isOtherServer = (process.env.TEST_DATABASE_URL ?? "") !== "";
  const takesSizes = importing(sizes);
  const asksDatabase = importing(database);
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/${name}`)
    .filter((file) => file.startsWith("test/unit/") || quickIntegration.includes(file))
    .filter((file) => !takesSizes(join(root, file)) && !(isOtherServer && asksDatabase(join(root, file))));
}

/** Whether a module of `test/` is the one given, or imports it, itself or by what it imports. */
function importing(wanted: string): (file: string) => boolean {
  const known = new Map([[wanted, true]]);
  const isImporting = (file: string): boolean => {
    const answer = known.get(file);
    if (answer !== undefined) return answer;
    known.set(file, false);
    const found = importsOf(file).some(isImporting);
    known.set(file, found);
    return found;
  };
  return isImporting;
}

/** The modules of `test/` that a test or its support imports. */
function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, "utf8").matchAll(/"(\.{1,2}\/[^"]+\.ts)"/g)]
    .map(([, path = ""]) => join(dirname(file), path))
    .filter((path) => relative(root, path).startsWith("test/"));
}
