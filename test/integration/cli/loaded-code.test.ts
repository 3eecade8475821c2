import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folderForAllTests } from "../../support/lasting.ts";
import { runCli } from "../../support/run-cli.ts";

const folder = folderForAllTests();
/** The packages whose code a call loads. */
async function packagesLoadedBy(...args: readonly string[]): Promise<ReadonlySet<string>> {
  const urls = await scriptsLoadedBy(...args);
  return new Set(urls.flatMap((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []));
}

/** V8's coverage names every script that it compiled. */
async function scriptsLoadedBy(...args: readonly string[]): Promise<readonly string[]> {
  const coverage = await mkdtemp(join(folder, "call-"));
  const { status } = await runCli(args, {
    env: { NODE_V8_COVERAGE: coverage, STORE_URL: `file:${folder}/store` },
  });
  expect(status).toBe(0);
  const [file = ""] = await readdir(coverage);
  const { result }: { result: readonly { url: string }[] } = JSON.parse(
    await readFile(join(coverage, file), "utf8"),
  );
  return result.map(({ url }) => url);
}

describe("a call loads the code that it needs, and no other", () => {
  test.each([
    ["--version", ["--version"], ["commander"]],
    ["a list of commands", ["snapshot", "--help"], ["commander"]],
    ["a question to a folder", ["snapshot", "status"], ["commander"]],
  ])("%s", async (_name, args, expected) => {
    const loaded = await packagesLoadedBy(...args);
    for (const name of expected) expect(loaded).toContain(name);
    for (const name of ["knex", "pg", "@aws-sdk/client-s3", "express"]) expect(loaded).not.toContain(name);
  });

  test("--version loads one package, and no command", async () => {
    expect([...(await packagesLoadedBy("--version"))]).toEqual(["commander"]);
    const names = (await scriptsLoadedBy("--version")).map(
      (url) => /\/cli\/commands\/(.*)\.js$/.exec(url)?.[1],
    );
    // What finds a command; each command has a file of its own.
    expect(names.filter((name) => name !== undefined)).toEqual(["command-table"]);
  });
});
