import { describe, expect, test } from "vitest";
import { goneFiles, isInLiveTree, liveFiles } from "../../../cli/publish/live-copy/live-files.ts";
import { parseProgramId, parseSnapshotId, parseTenantId } from "../../../core/ids.ts";
import type { Manifest, ResponseEntry } from "../../../core/manifest.ts";
import { liveKey, responseKey } from "../../../core/object-key.ts";
import { ProgramTable } from "../../../core/program-table.ts";

const tenantId = parseTenantId("acme");
const snapshotId = parseSnapshotId("20270101T000000Z-00000000");
const digest = (letter: string): string => letter.repeat(64);

/** A snapshot of these programs; each value is the digest's only digit. */
function manifestOf(programs: Readonly<Record<string, string>>, lists = "00"): Manifest {
  const table = new ProgramTable();
  for (const [id, letter] of Object.entries(programs))
    table.add(parseProgramId(id), { snapshotId, sha256: digest(letter), size: 1 });
  const entry = (kind: "list" | "legacy", letter = "0"): ResponseEntry => ({
    key: responseKey(tenantId, snapshotId, { kind }),
    sha256: digest(letter),
    size: 1,
  });
  return {
    tenantId,
    generation: 1,
    snapshotId,
    parent: null,
    generatedAt: "2027-01-01T00:00:00.000Z",
    contract: digest("0"),
    list: entry("list", lists[0]),
    legacy: entry("legacy", lists[1]),
    programs: table,
  };
}

const live = (name: string): string => `tenants/acme/live/${name}`;
const plan = (from: Manifest, to: Manifest) => ({
  copies: [...liveFiles(to, from)].map(({ key }) => key),
  removals: goneFiles(from, to),
});

describe("P27 the change of the tree for people", () => {
  test("copies what is new or has other bytes, and removes what is gone", () => {
    const { copies, removals } = plan(
      manifestOf({ same: "1", changed: "2", gone: "3" }, "00"),
      manifestOf({ same: "1", changed: "4", added: "5" }, "10"),
    );
    expect(copies).toEqual([
      live("v1/programs.json"),
      live("v1/programs/changed.json"),
      live("v1/programs/added.json"),
    ]);
    expect(removals).toEqual([live("v1/programs/gone.json")]);
  });

  test("takes programs named like parts of the tree for programs", () => {
    const to = manifestOf({ programs: "1", constructor: "1", "README.txt": "1" });
    const { copies } = plan(manifestOf({}), to);
    expect(copies).toEqual(
      ["programs", "constructor", "README.txt"].map((id) => live(`v1/programs/${id}.json`)),
    );
    for (const key of copies) expect(isInLiveTree(to, key)).toBe(true);
  });
});

test("the tree has a file for every response, named like its URL, and its marker", () => {
  const manifest = manifestOf({ "KYOTO-1": "1" });
  const keys = [...liveFiles(manifest)].map(({ key }) => key);
  expect(keys).toEqual([
    live("v1/programs.json"),
    live("api/v1/partner/programs.json"),
    live("v1/programs/KYOTO-1.json"),
  ]);
  for (const key of [...keys, live("README.txt")]) expect(isInLiveTree(manifest, key)).toBe(true);
});

test.each([
  "v1/programs/NARA-2.json",
  "v1/programs/KYOTO-1.json.bak",
  "v1/programs/KYOTO-1",
  "v1/programs/.json",
  "v1/KYOTO-1.json",
  "readme.txt",
  "v1/programs.json~",
])("%s is a stranger in it", (name) => {
  expect(isInLiveTree(manifestOf({ "KYOTO-1": "1" }), live(name))).toBe(false);
  expect(liveKey(tenantId, { kind: "list" })).toBe(live("v1/programs.json"));
});
