import type { ManifestDocument } from "../schemas/generated/types.ts";
import type { ProgramId, SnapshotId, TenantId } from "./ids.ts";
import { type ObjectKey, type ResponseName, responseKey } from "./object-key.ts";
import type { ProgramTable } from "./program-table.ts";

/** One stored response: the gateway serves bytes of exactly this size and digest, or nothing. */
export interface ResponseEntry {
  readonly key: ObjectKey;
  readonly sha256: string;
  readonly size: number;
}

/** What a snapshot consists of. */
export interface Manifest {
  readonly tenantId: TenantId;
  /** That under which the snapshot was first published. */
  readonly generation: number;
  readonly snapshotId: SnapshotId;
  /** The snapshot that was live when this one was built. */
  readonly parent: SnapshotId | null;
  /** RFC 3339, UTC: when the database was read. */
  readonly generatedAt: string;
  /**
   * Set on a snapshot that took out withdrawn programs and nothing else (P20): when the database was read for its other
   * programs. What partners see is as old as that.
   */
  readonly contentAt?: string | undefined;
  /** Digest of the published schemas that every response was checked against. */
  readonly contract: string;
  readonly list: ResponseEntry;
  readonly legacy: ResponseEntry;
  readonly programs: ProgramTable;
}

const manifestFormat = "partner-programs/manifest@1";

/** The entry of a response, or `undefined` when the snapshot has no such program. */
export function responseEntry(manifest: Manifest, name: ResponseName): ResponseEntry | undefined {
  switch (name.kind) {
    case "list":
      return manifest.list;
    case "legacy":
      return manifest.legacy;
    case "detail":
      return detailEntry(manifest, name.programId);
  }
}

/** The entry of a program's detail, or `undefined` when the snapshot has no such program. */
export function detailEntry(manifest: Manifest, id: string): ResponseEntry | undefined {
  const record = manifest.programs.get(id);
  if (record === undefined) return undefined;
  // W22: only ids that the reader or the generator accepted are in the table.
  const name: ResponseName = { kind: "detail", programId: id as ProgramId };
  return {
    key: responseKey(manifest.tenantId, record.snapshotId, name),
    sha256: record.sha256,
    size: record.size,
  };
}

/**
 * The canonical text of a manifest, in pieces of bounded size: minified JSON but for a line break around each
 * program's entry, so that a reader can take it line by line however many programs there are.
 */
export function* manifestText(manifest: Manifest): Generator<string> {
  const {
    tenantId,
    generation,
    snapshotId,
    parent,
    generatedAt,
    contentAt,
    contract,
    list,
    legacy,
    programs,
  } = manifest;
  const head: ManifestDocument = {
    format: manifestFormat,
    tenantId,
    generation,
    snapshotId,
    parent,
    generatedAt,
    ...(contentAt === undefined ? {} : { contentAt }),
    contract,
    counts: { programs: programs.count },
    list,
    legacy,
    programs: {},
  };
  yield JSON.stringify(head).slice(0, -"}}".length);
  let separator = "\n";
  for (const id of programs.ids()) {
    yield `${separator}${JSON.stringify(id)}:${JSON.stringify(detailEntry(manifest, id))}`;
    separator = ",\n";
  }
  yield "\n}}";
}
