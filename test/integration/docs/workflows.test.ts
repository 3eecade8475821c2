import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { projectRoot } from "../../support/markdown.ts";

interface Workflow {
  readonly permissions?: Permissions;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly permissions?: Permissions;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

type Permissions = Readonly<Record<string, "read" | "write">>;

const folder = join(projectRoot, "deploy/github-actions");
const workflows = readdirSync(folder).map(
  (name) => [name, readFileSync(join(folder, name), "utf8")] as const,
);
const release: Workflow = parse(readFileSync(join(folder, "release.yaml"), "utf8"));

describe("workflows", () => {
  test.each(workflows)("%s takes every action by its commit, and names the version", (_name, text) => {
    const uses = text.match(/uses:.*/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
      [],
    );
    // One action, one version.
    const versions = new Map(uses.map((line) => [line.split("@")[0], line] as const));
    expect(new Set(uses).size).toBe(versions.size);
  });

  test("the release gives each job what it needs, and writes where it has to", () => {
    expect(release.permissions).toEqual({});
    const permissions = Object.entries(release.jobs).map(([name, job]) => [name, job.permissions]);
    expect(Object.fromEntries(permissions)).toEqual({
      check: { contents: "read" },
      npm: { "id-token": "write" },
      image: { contents: "read", packages: "write", "id-token": "write", attestations: "write" },
      release: { contents: "write" },
    });
    expect(Object.values(release.jobs).filter((job) => job["timeout-minutes"] === undefined)).toEqual([]);
  });
});
