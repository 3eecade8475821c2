import { expect, test } from "vitest";
import { manifestBody } from "../../../cli/publish/tenant/publish.ts";
import type { Manifest } from "../../../core/documents/manifest.ts";
import { ProgramTable } from "../../../core/documents/program-table.ts";
import type { ProgramId, SnapshotId, TenantId } from "../../../core/ground/ids.ts";
import { maxManifestBytes } from "../../../core/ground/limits.ts";
import { type ResponseName, responseKey } from "../../../core/ground/object-key.ts";

const tenantId = "t".repeat(64) as TenantId;
const snapshotId = "20270201T031500Z-0a1b2c3d" as SnapshotId;
const sha256 = "0".repeat(64);

function manifestOf(count: number): Manifest {
  const programs = new ProgramTable(count);
  for (let at = 0; at < count; at += 1) {
    programs.add(String(at).padStart(128, "p") as ProgramId, { snapshotId, sha256, size: 1000 });
  }
  const entry = (name: ResponseName) => ({ key: responseKey(tenantId, snapshotId, name), sha256, size: 1 });
  return {
    ...{ tenantId, snapshotId, generation: 1, parent: null, generatedAt: "2027-02-01T03:15:00Z" },
    ...{ contract: sha256, list: entry({ kind: "list" }), legacy: entry({ kind: "legacy" }), programs },
  };
}

test("P218 a manifest that its readers would refuse is not made, and one that they take is", () => {
  const manifest = manifestOf(100);
  const { size } = manifestBody(manifest);
  expect(manifestBody(manifest, size).size).toBe(size);
  expect(() => manifestBody(manifest, size - 1)).toThrow(`${size} bytes, more than the ${size - 1}`);
  // The usual bound is the readers' own.
  expect(manifestBody.length).toBe(1);
  expect(maxManifestBytes).toBeGreaterThan(size);
});
