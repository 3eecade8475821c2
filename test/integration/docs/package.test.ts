import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { linkTargets, projectRoot } from "../../support/markdown.ts";

/** What `npm pack` would put into the package, by path. */
let files: readonly string[];

beforeAll(async () => {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout } = await promisify(execFile)("npm", args, { cwd: projectRoot, maxBuffer: 16 * 1024 ** 2 });
  const [packed]: { readonly files: readonly { readonly path: string }[] }[] = JSON.parse(stdout);
  files = (packed?.files ?? []).map(({ path }) => path);
});

describe("the package", () => {
  test("has everything that its pages link to", () => {
    const links = files
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) => relativeLinks(path).map((target) => ({ path, target })));
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(({ target }) => !has(target))).toEqual([]);
  });

  test("has what its package.json names", () => {
    const { bin, exports } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
    const named = [...Object.values<string>(bin), ...Object.values<string>(exports["./client"])];
    expect([named.length, named.filter((path) => !has(path))]).toEqual([4, []]);
  });

  test("has the client as its export ./client, with types", async () => {
    const code =
      'import { createProgramsClient } from "partner-programs/client"; console.log(typeof createProgramsClient)';
    const args = ["--input-type=module", "-e", code];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: projectRoot });
    expect(stdout.trim()).toBe("function");
    const types = readFileSync(join(projectRoot, "dist/docs/client/programs-client.d.ts"), "utf8");
    expect(types).toContain("export declare function createProgramsClient(options: ClientOptions)");
  });

  test("has nothing of the workshop", () => {
    const foreign = /^(test|scripts|dist\/(test|scripts)|cli|core|gateway|coverage|data|node_modules)\//;
    const needless = /(\.map|\.tsbuildinfo|\.test\.[cm]?[jt]s|\.log|\.env|package-lock\.json)$/;
    expect(files.filter((path) => foreign.test(path) || needless.test(path) || isHidden(path))).toEqual([]);
    // Whoever installs it runs what was compiled; the client alone is there to be copied.
    const sources = files.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"));
    expect(sources.filter((path) => !path.startsWith("docs/client/"))).toEqual([]);
  });
});

/** The links of a page to other files, relative to the package. */
function relativeLinks(path: string): readonly string[] {
  return linkTargets(readFileSync(join(projectRoot, path), "utf8"))
    .filter((target) => !/^([a-z]+:|#)/.test(target))
    .map((target) => join(dirname(path), target.split("#")[0] ?? ""));
}

/** A file, or a folder of files. */
function has(target: string): boolean {
  const path = join(target).replace(/\/$/, "");
  return files.some((file) => file === path || file.startsWith(`${path}/`));
}

const isHidden = (path: string): boolean => path.split("/").some((part) => part.startsWith("."));
