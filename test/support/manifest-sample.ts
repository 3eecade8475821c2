import { createHash } from "node:crypto";
import { parseProgramId, parseSnapshotId, parseTenantId } from "../../core/ids.ts";
import { type Manifest, manifestText } from "../../core/manifest.ts";
import { responseKey } from "../../core/object-key.ts";
import { ProgramTable } from "../../core/program-table.ts";
import { type ExpectedManifest, readManifest } from "../../core/read-manifest.ts";
import type { ManifestSource } from "../../schemas/generated/types.ts";

const tenantId = parseTenantId("acme");
export const sampleSnapshot = parseSnapshotId("20260201T120000Z-0a1b2c3d");
export const sampleParent = parseSnapshotId("20260131T120000Z-00000000");
export const sampleDigest = "ab".repeat(32);

export const sampleSource: ManifestSource = {
  digest: sampleDigest,
  notPublishable: 1,
  invalid: 0,
  problems: [
    {
      severity: "warning",
      code: "currency_invalid",
      programId: "p-0",
      field: "currency",
      value: 'a "programs":{ of sorts',
      message: "Why",
    },
  ],
  problemsOmitted: 2,
  problemCounts: { currency_invalid: 3 },
};

/** A manifest of the tenant acme with the programs p-0, p-1, ..., every other one unchanged since the parent. */
export function sampleManifest(programs = 3): Manifest {
  const table = new ProgramTable();
  for (let at = 0; at < programs; at += 1) {
    const snapshotId = at % 2 === 0 ? sampleSnapshot : sampleParent;
    table.add(parseProgramId(`p-${at}`), {
      snapshotId,
      sha256: at.toString(16).padStart(64, "0"),
      size: at + 1,
    });
  }
  return {
    tenantId,
    generation: 7,
    snapshotId: sampleSnapshot,
    parent: sampleParent,
    generatedAt: "2026-02-01T12:00:00.000Z",
    contract: "c0".repeat(32),
    list: {
      key: responseKey(tenantId, sampleSnapshot, { kind: "list" }),
      sha256: sampleDigest,
      size: 10,
    },
    legacy: {
      key: responseKey(tenantId, sampleParent, { kind: "legacy" }),
      sha256: sampleDigest,
      size: 20,
    },
    programs: table,
  };
}

/** The whole text of a manifest, in its canonical form. */
export function wholeText(manifest: Manifest): string {
  return [...manifestText(manifest)].join("");
}

/** What a pointer says of a manifest of these bytes. */
export function expectedManifest(bytes: Uint8Array): ExpectedManifest {
  const manifestSha256 = createHash("sha256").update(bytes).digest("hex");
  return { tenantId, snapshotId: sampleSnapshot, manifestSha256 };
}

/** Reads the text with the right digest, in chunks of so many bytes. */
export function readText(text: string | Buffer, chunkBytes = 64 * 1024): Promise<Manifest> {
  const bytes = Buffer.from(text);
  return readManifest(chunksOf(bytes, chunkBytes), expectedManifest(bytes));
}

export async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
