import { createHash } from "node:crypto";
import type { ManifestDocument } from "../../schemas/generated/types.ts";
import { Failure } from "../ground/failure.ts";
import type { ProgramId, SnapshotId, TenantId } from "../ground/ids.ts";
import { maxAncestors } from "../ground/limits.ts";
import { type ObjectKey, type ResponseName, responseKey } from "../ground/object-key.ts";
import { piecesOf } from "../store/object-body.ts";
import type { ObjectStore, StoredObject } from "../store/object-store.ts";
import type { ProgramTable } from "./program-table.ts";

/** A stored response. The gateway serves only bytes of exactly this size and digest. */
export interface ResponseEntry {
  readonly key: ObjectKey;
  readonly sha256: string;
  readonly size: number;
}

export interface Manifest {
  readonly tenantId: TenantId;
  /** The generation under which the snapshot was first published. */
  readonly generation: number;
  readonly snapshotId: SnapshotId;
  /** The snapshot that was live when this one was built. */
  readonly parent: SnapshotId | null;
  /**
   * The snapshots before this one in its line, newest first, at most `maxAncestors`. A line begins with a
   * tenant's first snapshot, with `--rewrite`, and where the live manifest could not be trusted. `undefined`
   * in a manifest of an earlier version.
   */
  readonly ancestors?: readonly SnapshotId[] | undefined;
  /** P48: the programs that builds took out. `undefined` in a manifest of an earlier version. */
  readonly removed?: ManifestDocument["removed"] | undefined;
  /** RFC 3339, UTC: when the database was read. */
  readonly generatedAt: string;
  /**
   * Set on a snapshot that only removed withdrawn programs (P20): when the database was read for the other
   * programs, which is how old the partners' data is.
   */
  readonly contentAt?: string | undefined;
  /** Digest of the schemas that every response was validated against. */
  readonly contract: string;
  readonly list: ResponseEntry;
  readonly legacy: ResponseEntry;
  readonly programs: ProgramTable;
}

/** The ancestors of a snapshot that is built on this one. */
export function lineFrom({ snapshotId, ancestors = [] }: Manifest): readonly SnapshotId[] {
  return [snapshotId, ...ancestors].slice(0, maxAncestors);
}

/** The entry of a response, or `undefined` when the snapshot has no such program. */
export function responseEntry(manifest: Manifest, name: ResponseName): ResponseEntry | undefined {
  return name.kind === "detail" ? detailEntry(manifest, name.programId) : manifest[name.kind];
}

/** The entry of a program's detail, or `undefined` when the snapshot has no such program. */
export function detailEntry(manifest: Manifest, id: string): ResponseEntry | undefined {
  const record = manifest.programs.get(id);
  if (record === undefined) return undefined;
  const { snapshotId, sha256, size } = record;
  // W22: the reader and the generator put only valid ids into the table.
  const name: ResponseName = { kind: "detail", programId: id as ProgramId };
  return { key: responseKey(manifest.tenantId, snapshotId, name), sha256, size };
}

/**
 * The canonical text of a manifest, in pieces of bounded size. It is minified JSON with a line break around
 * each program's entry, so that it can be read line by line, however many programs there are. No id or key
 * needs escaping (W22).
 */
export function* manifestText(manifest: Manifest): Generator<string> {
  const { ancestors, removed, contentAt, programs } = manifest;
  const head: ManifestDocument = {
    format: "partner-programs/manifest@1",
    tenantId: manifest.tenantId,
    generation: manifest.generation,
    snapshotId: manifest.snapshotId,
    parent: manifest.parent,
    ...(ancestors && { ancestors: [...ancestors] }),
    ...(removed && { removed }),
    generatedAt: manifest.generatedAt,
    ...(contentAt === undefined ? {} : { contentAt }),
    contract: manifest.contract,
    counts: { programs: programs.count },
    list: manifest.list,
    legacy: manifest.legacy,
    programs: {},
  };
  yield JSON.stringify(head).slice(0, -"}}".length);
  let separator = "\n";
  for (const id of programs.ids()) {
    const entry = detailEntry(manifest, id);
    yield `${separator}"${id}":{"key":"${entry?.key}","sha256":"${entry?.sha256}","size":${entry?.size}}`;
    separator = ",\n";
  }
  yield "\n}}";
}

/**
 * Opens the object of a manifest's entry and checks its size. Returns the object before it is read, or in
 * words, without a full stop, how it differs from the entry.
 */
export async function openEntry(
  store: Pick<ObjectStore, "get">,
  entry: ResponseEntry,
  signal: AbortSignal,
  wholeUpTo = 0,
): Promise<StoredObject | { readonly kind: "fault"; readonly fault: string }> {
  const found = await store.get(entry.key, { signal, wholeUpTo });
  if (found.kind !== "object") return { kind: "fault", fault: "the object is missing" };
  if (found.size === entry.size) return found;
  found.body.destroy();
  return { kind: "fault", fault: sizeFault(entry, found.size) };
}

/**
 * Reads the object piece by piece and returns how it differs from the entry, as `openEntry` does. `take` gets
 * the bytes before they are checked, so the caller must drop them after a fault. `wholeUpTo`: see
 * `ObjectStore`.
 */
export async function readEntry(
  store: Pick<ObjectStore, "get">,
  entry: ResponseEntry,
  signal: AbortSignal,
  take: (piece: Buffer) => unknown,
  wholeUpTo?: number,
): Promise<string | undefined> {
  const found = await openEntry(store, entry, signal, wholeUpTo);
  if (found.kind === "fault") return found.fault;
  if (found.whole !== undefined && found.wholeSha256 !== undefined) {
    await take(found.whole);
    return digestFault(entry, found.wholeSha256);
  }
  const hash = createHash("sha256");
  let size = 0;
  for await (const piece of piecesOf(found)) {
    size += piece.length;
    // Leaving the loop destroys the body, so that a body without end does not fill the memory.
    if (size > entry.size) break;
    hash.update(piece);
    await take(piece);
  }
  if (size !== entry.size) return sizeFault(entry, size);
  return digestFault(entry, hash.digest("hex"));
}

function digestFault(entry: ResponseEntry, sha256: string): string | undefined {
  if (sha256 === entry.sha256) return undefined;
  return `the object has the SHA-256 ${sha256}, the manifest says ${entry.sha256}`;
}

function sizeFault(entry: ResponseEntry, size: number): string {
  return `the object has ${size} bytes, the manifest says ${entry.size}`;
}

export function entryFailure(entry: ResponseEntry, fault: string): Failure {
  return new Failure("corrupt_document", `${entry.key}: ${fault}.`);
}
