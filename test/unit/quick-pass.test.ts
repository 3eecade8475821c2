import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { leftOut } from "../support/quick-pass.ts";

const root = join(import.meta.dirname, "../..");
const testFiles = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/${name}`);
const folders = [...new Set(testFiles.map((file) => dirname(file)))];

describe("the quick pass of the tests", () => {
  test("leaves out files that exist", () => {
    expect(leftOut.filter((file) => !testFiles.includes(file))).toEqual([]);
    expect(new Set(leftOut).size).toBe(leftOut.length);
  });

  test("leaves out no unit test", () => {
    expect(leftOut.filter((file) => file.startsWith("test/unit/"))).toEqual([]);
  });

  test.each(folders)("runs something of %s", (folder) => {
    const run = testFiles.filter((file) => dirname(file) === folder && !leftOut.includes(file));
    expect(run).not.toEqual([]);
  });

  test("is what npm test runs, and nothing else does", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const { test: quick, ...others } = scripts;
    expect(quick).toBe("TEST_QUICK=1 vitest run");
    expect(others["test:all"]).toBe("vitest run");
    expect(Object.values(others).filter((script) => String(script).includes("TEST_QUICK"))).toEqual([]);
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("npm run test:all");
  });
});
