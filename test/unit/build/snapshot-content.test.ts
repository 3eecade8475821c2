import { describe, expect, test } from "vitest";
import { renderedProgram } from "../../../cli/publish/content/checked-program.ts";
import type { ListedProgram } from "../../../cli/publish/content/lists.ts";
import {
  ContentFault,
  listedProgram,
  SnapshotContent,
} from "../../../cli/publish/content/snapshot-content.ts";
import type { ProgramRecord } from "../../../core/documents/program-table.ts";
import { parseSnapshotId } from "../../../core/ground/ids.ts";
import { mapped } from "../../support/program-source.ts";

const snapshotId = parseSnapshotId("20260201T120000Z-0a1b2c3d");

function published(programId: string, name: string) {
  const program = mapped({ programId, name });
  if (program.kind !== "published") throw new Error(program.kind);
  return { programId: program.programId, ...renderedProgram(program, "object") };
}

const versions = { old: published("b", "Old"), now: published("b", "Now") };
const programs = [published("a", "A"), versions.now, published("c", "C")];
const ids = programs.map(({ programId }) => programId);
const listed = new Map<string, ListedProgram>(
  programs.map((program) => [program.programId, listedProgram(program.programId, null, program)]),
);
const records = new Map<string, ProgramRecord>(
  programs.map(({ programId, detailSha256 }) => [programId, { snapshotId, sha256: detailSha256, size: 1 }]),
);

function contentOf(parts: {
  readonly ids?: readonly string[];
  readonly count?: number;
  readonly listed?: readonly (readonly [string, ListedProgram])[];
  readonly records?: ReadonlyMap<string, ProgramRecord>;
}) {
  const elements = new Map([...listed, ...(parts.listed ?? [])]);
  const known = parts.records ?? records;
  return SnapshotContent.of(
    parts.ids ?? ids,
    parts.count ?? 3,
    (id) => elements.get(id),
    (id) => known.get(id),
  );
}

const elementOf = (id: string): ListedProgram =>
  listed.get(id) ?? listedProgram(versions.now.programId, null, versions.now);

describe("P223 the parts of a snapshot are put together only if they agree", () => {
  test("then list, legacy list and details name the same programs", () => {
    const { lists, programs: details } = contentOf({});
    const list = JSON.parse(lists.list.bytes.toString());
    expect(list.data.map(({ id }: { readonly id: string }) => id)).toEqual(["a", "b", "c"]);
    expect(list.meta).toEqual({ count: 3 });
    expect(JSON.parse(lists.legacy.bytes.toString()).programs).toHaveLength(3);
    expect([...details.ids()]).toEqual(["a", "b", "c"]);
  });

  test.each<[string, Parameters<typeof contentOf>[0], RegExp]>([
    ["an element is lost", { ids: [...ids, "d"], count: 4 }, /program d is not in the list/],
    ["a program is lost", { ids: ["a", "b"] }, /2 program\(s\), and 3 were counted/],
    ["a program is there twice", { ids: ["a", "b", "b", "c"] }, /program b stands there twice/],
    ["a detail is lost", { records: new Map([...records].slice(1)) }, /program a has no detail/],
    ["two elements are swapped", { listed: [["a", elementOf("b")]] }, /another program in the place of a/],
    [
      "an element says another id than it is filed under",
      { listed: [["a", { ...elementOf("b"), programId: elementOf("a").programId }]] },
      /another program in the place of a/,
    ],
    [
      "an element of the legacy list is none",
      { listed: [["a", { ...elementOf("a"), legacyItem: "{}" }]] },
      /the legacy list has something else in the place of program a/,
    ],
  ])("not when %s", (_, parts, message) => {
    expect(() => contentOf(parts)).toThrow(ContentFault);
    expect(() => contentOf(parts)).toThrow(message);
  });

  test("an element of an older version than its detail makes no part", () => {
    const { detail } = versions.now;
    const { listItem, legacyItem, programId } = versions.old;
    expect(() => listedProgram(programId, null, { listItem, legacyItem, detail })).toThrow(ContentFault);
  });
});
