import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { lineFrom, type Manifest } from "../../../core/documents/manifest.ts";
import { ProgramTable } from "../../../core/documents/program-table.ts";
import { parseProgramId, parseTenantId, type SnapshotId, snapshotId } from "../../../core/ground/ids.ts";
import { responseKey } from "../../../core/ground/object-key.ts";
import { changedSince } from "../../../gateway/request/respond.ts";

const tenantId = parseTenantId("acme");

/** A snapshot whose programs are all new in it. */
function manifestOf(programCount: number, ancestors: readonly SnapshotId[]): Manifest {
  const id = snapshotId(new Date(0), randomBytes(4));
  const programs = new ProgramTable();
  const sha256 = "ab".repeat(32);
  for (let at = 0; at < programCount; at += 1)
    programs.add(parseProgramId(`program-${at}`), { snapshotId: id, sha256, size: 1 });
  const list = { key: responseKey(tenantId, id, { kind: "list" }), sha256, size: 1 };
  const head = { tenantId, generation: 1, snapshotId: id, parent: null, generatedAt: "", contract: "" };
  return { ...head, ancestors, list, legacy: list, programs };
}

test("W180 of too many changes, of a snapshot that is not in the line, and of a manifest without a line nothing is said", () => {
  const first = manifestOf(1, []);
  const second = manifestOf(300, lineFrom(first));
  expect(changedSince(second, first.snapshotId)).toBe("*");
  expect(changedSince(first, second.snapshotId)).toBe("*");
  const { ancestors: _, ...older } = manifestOf(300, []);
  expect(changedSince(older, first.snapshotId)).toBe("*");
});

test("W180 the programs are looked through once for each of the last snapshots that partners ask with", () => {
  const ancestors = Array.from({ length: 33 }, () => snapshotId(new Date(0), randomBytes(4)));
  const manifest = manifestOf(2, ancestors);
  const looking = vi.spyOn(manifest.programs, "idsIn");
  const ask = (asked: readonly SnapshotId[]): number => {
    looking.mockClear();
    for (const since of asked) expect(changedSince(manifest, since)).toBe("program-0,program-1");
    return looking.mock.calls.length;
  };
  expect([ask(ancestors.slice(0, 32)), ask(ancestors.slice(0, 32)), ask(ancestors.slice(32))]).toEqual([
    32, 0, 1,
  ]);
  expect([ask(ancestors.slice(32)), ask(ancestors.slice(0, 1))]).toEqual([0, 1]);
});
