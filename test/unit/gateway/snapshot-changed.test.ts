import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { parseProgramId, parseTenantId, type SnapshotId, snapshotId } from "../../../core/ids.ts";
import { lineFrom, type Manifest } from "../../../core/manifest.ts";
import { sha256Hex } from "../../../core/object-body.ts";
import { responseKey } from "../../../core/object-key.ts";
import { ProgramTable } from "../../../core/program-table.ts";
import { changedSince } from "../../../gateway/respond.ts";

const tenantId = parseTenantId("acme");

/** What a partner has of a snapshot: each program's detail. */
type Content = ReadonlyMap<string, string>;

interface Published {
  readonly manifest: Manifest;
  readonly content: Content;
}

/** As a build writes it: an unchanged program keeps the key that the live snapshot has for it. */
function built(content: Content, live: Published | undefined, ancestors: readonly SnapshotId[]): Published {
  const id = snapshotId(new Date(0), randomBytes(4));
  const programs = new ProgramTable();
  for (const [program, text] of content) {
    const kept = live?.content.get(program) === text ? live.manifest.programs.get(program) : undefined;
    const fresh = { snapshotId: id, sha256: sha256Hex(Buffer.from(text)), size: text.length };
    programs.add(parseProgramId(program), kept ?? fresh);
  }
  const list = {
    key: responseKey(tenantId, id, { kind: "list" }),
    sha256: sha256Hex(Buffer.alloc(0)),
    size: 1,
  };
  const head = { tenantId, generation: 1, snapshotId: id, parent: null, generatedAt: "", contract: "" };
  return { content, manifest: { ...head, ancestors, list, legacy: list, programs } };
}

test("W180 of too many changes, of a snapshot that is not in the line, and of a manifest without a line nothing is said", () => {
  const first = built(new Map([["p1", "a"]]), undefined, []);
  const many = new Map(Array.from({ length: 300 }, (_, at) => [`program-${at}`, "a"]));
  const second = built(many, first, lineFrom(first.manifest));
  expect(changedSince(second.manifest, first.manifest.snapshotId)).toBe("*");
  expect(changedSince(first.manifest, second.manifest.snapshotId)).toBe("*");
  const { ancestors: _, ...older } = built(many, first, []).manifest;
  expect(changedSince(older, first.manifest.snapshotId)).toBe("*");
});
