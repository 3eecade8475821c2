import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { codeDigest, programFolders } from "../../../core/process/package-version.ts";

async function printed(program: "cli" | "gateway", ...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [`dist/${program}/main.js`, ...args]);
  return stdout;
}

test("P184: both programs of a build say the same version and the same digest of the code", async () => {
  const cli = JSON.parse(await printed("cli", "--version", "--json"));
  expect(cli).toEqual({
    version: (await printed("cli", "--version")).trim(),
    code: codeDigest(programFolders, "dist").slice(0, 12),
    node: process.version,
  });
  expect(JSON.parse(await printed("gateway", "--version", "--json"))).toEqual(cli);
});
