import { describe, expect, test } from "vitest";
import { runCommand } from "../../support/command-line.ts";
import { callsIn, usageFault } from "../../support/command-lines.ts";
import { commandPaths } from "../../support/command-paths.ts";

const paths = commandPaths().map((path) => ({ path, name: path.join(" ") }));

describe("the help", () => {
  test.each(paths)("of '$name' shows calls of it that the command line takes", async ({ path }) => {
    const { stdout } = await runCommand([...path, "--help"]);
    const examples = stdout.slice(stdout.indexOf("Examples:"));
    const calls = callsIn(examples, "partner-programs");
    expect(calls.length).toBeGreaterThan(0);
    for (const args of calls) {
      if (args[0] !== "help") expect(args.slice(0, path.length)).toEqual(path);
      expect(await usageFault(args), args.join(" ")).toBeUndefined();
    }
  });

  test.each([60, 80, 120])("fits %i columns but for calls to be copied", async (columns) => {
    for (const { path } of paths) {
      const { stdout } = await runCommand([...path, "--help"], { columns });
      const long = stdout.split("\n").filter((line) => line.length > columns);
      expect(long.filter((line) => !/^(Usage:| {2}partner-programs )/.test(line))).toEqual([]);
      if (columns >= 80) expect(long.filter((line) => !line.startsWith("Usage:"))).toEqual([]);
    }
  });
});
