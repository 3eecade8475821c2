import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { renderedProgram } from "../../../cli/publish/content/checked-program.ts";
import { type ListedProgram, readBothListed, readListed } from "../../../cli/publish/content/lists.ts";
import { listBodies, requireSmallLists } from "../../../cli/publish/content/snapshot-content.ts";
import type { ProgramSource } from "../../../cli/publish/public-program/program-source.ts";
import { publicProgram } from "../../../cli/publish/public-program/public-program.ts";
import { ProgramTable } from "../../../core/documents/program-table.ts";
import { type ProgramId, parseSnapshotId, parseTenantId } from "../../../core/ground/ids.ts";
import { responseKey } from "../../../core/ground/object-key.ts";
import type { ProgramListResponse } from "../../../schemas/generated/types.ts";
import { cannedOptions } from "../../support/canned-source.ts";
import { fileStoreForEachTest } from "../../support/lasting.ts";
import { mapped } from "../../support/program-source.ts";
import { anyProgramSource } from "../../support/program-source-arbitrary.ts";

const tenantId = parseTenantId("acme");
const snapshotId = parseSnapshotId("20260201T120000Z-0a1b2c3d");
const store = fileStoreForEachTest();

type Program = readonly [id: string, departureDate: string | null];

describe("the list", () => {
  test("D8 has one order, whatever the dates", () => {
    const date = fc.option(fc.constantFrom("0001-01-01", "2026-12-31", "2027-01-01", "9999-12-31"));
    const ids = fc.uniqueArray(fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._~-]{0,3}$/), { maxLength: 12 });
    fc.assert(
      fc.property(ids, fc.infiniteStream(date), (unordered, dates) => {
        const programs = unordered.map((id): Program => [id, dates.next().value ?? null]);
        expect(listOf(programs).data.map(({ id }) => id)).toEqual(expectedOrder(programs));
      }),
    );
  });

  test("D12 shows the legacy capacity as the object of v1, or as the plain total", () => {
    const program = publishedProgram({ name: "Tour", capacityTotal: 7 });
    const items = (["object", "total"] as const).map((kind) => renderedProgram(program, kind).legacyItem);
    expect(items).toEqual([
      '{"name":"Tour","capacity":{"total":7,"used":0,"remaining":7}}',
      '{"name":"Tour","capacity":7}',
    ]);
  });
});

function expectedOrder(programs: readonly Program[]): string[] {
  return [...programs]
    .sort(([id, date], [otherId, otherDate]) => {
      if (date !== otherDate) return date === null ? 1 : otherDate === null ? -1 : date < otherDate ? -1 : 1;
      return id < otherId ? -1 : 1;
    })
    .map(([id]) => id);
}

/** As another version may write it. */
const withOtherKeys = (listItem: string): string =>
  listItem
    .replace(',"departureDate":', ',"added":{"x":[1,"}"]},"departureDate":')
    .replace(',"capacity":', ',"rating":{"total":5},"capacity":')
    .replace(/\}$/, ',"more":null}');

test("P21 the elements of a stored list are those that were put together, whatever programs say and keys are added", async () => {
  const sources = fc.uniqueArray(anyProgramSource, { selector: ({ programId }) => programId, maxLength: 6 });
  const kinds = fc.constantFrom("object", "total");
  const key = responseKey(tenantId, snapshotId, { kind: "list" });
  const legacyKey = responseKey(tenantId, snapshotId, { kind: "legacy" });
  let read = 0;
  const readAgain = async (all: readonly ProgramSource[], kind: "object" | "total", isOther: boolean) => {
    const programs = new ProgramTable();
    const listed = all.flatMap((source): ListedProgram[] => {
      const program = publicProgram(source, cannedOptions.rules);
      if (program.kind !== "published") return [];
      const { programId } = program;
      const { departureDate } = program.listItem;
      const { listItem, legacyItem } = renderedProgram(program, kind);
      expect(JSON.stringify(JSON.parse(listItem))).toBe(listItem);
      programs.add(programId, { snapshotId, sha256: "", size: 1 });
      return [
        { programId, departureDate, legacyItem, listItem: isOther ? withOtherKeys(listItem) : listItem },
      ];
    });
    const bodies = listBodies(listed);
    await store.put(key, bodies.list);
    await store.put(legacyKey, bodies.legacy);
    const legacy = { key: legacyKey, ...bodies.legacy };
    const manifest = { list: { key, ...bodies.list }, programs };
    const stored = await readListed(store, manifest, kind, new AbortController().signal);
    expect(listBodies([...stored.values()])).toEqual(bodies);
    const both = await readBothListed(store, { ...manifest, legacy }, new AbortController().signal);
    expect(listBodies([...both.values()])).toEqual(bodies);
    read += stored.size;
  };
  await fc.assert(fc.asyncProperty(sources, kinds, fc.boolean(), readAgain));
  expect(read).toBeGreaterThan(100);
});

test("D37 lists may have so many bytes, and not one more", () => {
  requireSmallLists(1, 4, 4);
  expect(() => requireSmallLists(1, 4, 3)).toThrow("MAX_LIST_MB");
});

function publishedProgram(fields: Partial<ProgramSource>) {
  const program = mapped(fields);
  if (program.kind !== "published") throw new Error(program.kind);
  return program;
}

function listOf(programs: readonly Program[]): ProgramListResponse {
  const listed = programs.map(([programId, departureDate]): ListedProgram => {
    const program = publishedProgram({ programId, departureDate });
    return { programId: programId as ProgramId, departureDate, ...renderedProgram(program, "object") };
  });
  return JSON.parse(listBodies(listed).list.bytes.toString());
}
