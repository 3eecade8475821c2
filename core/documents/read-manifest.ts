import { setImmediate as turn } from "node:timers/promises";
import { isManifestDocument } from "../../schemas/generated/validators-stored.ts";
import { Failure } from "../ground/failure.ts";
import { isProgramId, isSnapshotId, type SnapshotId, type TenantId } from "../ground/ids.ts";
import { maxManifestBytes } from "../ground/limits.ts";
import { type ObjectKey, type ResponseName, responsePath, snapshotsPrefix } from "../ground/object-key.ts";
import { joinedPieces, parseStoredDocument, sha256Hex } from "../store/object-body.ts";
import type { Manifest, ResponseEntry } from "./manifest.ts";
import { ProgramTable } from "./program-table.ts";

/** The statements of the pointer that the manifest must fit. */
export interface ExpectedManifest {
  readonly tenantId: TenantId;
  readonly snapshotId: SnapshotId;
  readonly manifestSha256: string;
}

/**
 * P4: reads a manifest. Throws `corrupt_document` unless the bytes have the digest in the pointer, the
 * document names the pointer's tenant and snapshot, and *every* key lies below that tenant's prefix and is
 * the key of its own response. No part of a refused manifest is used.
 *
 * The canonical form (`manifestText`) has one entry a line. Those lines are parsed some per turn of the event
 * loop, so a manifest of 100,000 programs does not delay other requests: `JSON.parse` would keep the loop for
 * over 100 ms, and would leave each id, as the key of an object, in V8's memory until the next full garbage
 * collection. Any other JSON of the schema is parsed as a whole.
 */
export async function readManifest(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  expected: ExpectedManifest,
): Promise<Manifest> {
  const what = `manifest.json of snapshot ${expected.snapshotId} of tenant ${expected.tenantId}`;
  const corrupt = (why: string): Failure => new Failure("corrupt_document", `${what} ${why}.`);
  const prefix = snapshotsPrefix(expected.tenantId);
  const bytes = await joinedPieces(body, maxManifestBytes, what);
  if (sha256Hex(bytes) !== expected.manifestSha256)
    throw corrupt("has not the digest that current.json states");

  // Each takes 180 bytes at least.
  const programs = new ProgramTable(Math.floor(bytes.length / 180));
  const take = (id: string, found: unknown): void => {
    if (!isProgramId(id)) throw corrupt("has an entry for what is no program id");
    const name = { kind: "detail", programId: id } as const;
    const { snapshotId, entry } = checkedEntry(name, found, prefix, corrupt);
    const isNew = programs.add(id, { snapshotId, sha256: entry.sha256, size: entry.size });
    if (!isNew) throw corrupt(`names program ${id} twice`);
  };
  const others = await withoutEntries(bytes, take);
  if (others.length > maxWholeBytes) throw corrupt("is too large for a form other than the canonical one");
  const document = parseStoredDocument(others, isManifestDocument, what);
  for (const [id, entry] of Object.entries(document.programs)) take(id, entry);
  if (document.tenantId !== expected.tenantId) throw corrupt("belongs to another tenant");
  if (document.snapshotId !== expected.snapshotId) throw corrupt("belongs to another snapshot");
  if (document.counts.programs !== programs.count) throw corrupt("counts other programs than it names");
  return {
    tenantId: expected.tenantId,
    generation: document.generation,
    snapshotId: expected.snapshotId,
    parent: document.parent === null || !isSnapshotId(document.parent) ? null : document.parent,
    ancestors: document.ancestors?.filter(isSnapshotId),
    removed: document.removed,
    generatedAt: document.generatedAt,
    contentAt: document.contentAt,
    contract: document.contract,
    list: checkedEntry({ kind: "list" }, document.list, prefix, corrupt).entry,
    legacy: checkedEntry({ kind: "legacy" }, document.legacy, prefix, corrupt).entry,
    programs,
  };
}

/**
 * Takes the entries that are on lines of their own, all but the last one, and returns the document without
 * them: as JSON, it is valid if the whole one is.
 */
async function withoutEntries(bytes: Buffer, take: (id: string, entry: unknown) => void): Promise<Buffer> {
  const opening = bytes.indexOf(entriesOpening);
  if (opening < 0) return bytes;
  const start = opening + entriesOpening.length;
  let at = start;
  for (let lines = 1; ; lines += 1) {
    const end = bytes.indexOf("\n", at);
    // Bytes other than ASCII fit no entry, in whatever way they are decoded.
    const [, id, key, sha256, size] =
      canonicalEntry.exec(bytes.toString("latin1", at, Math.max(at, end))) ?? [];
    if (id === undefined) break;
    take(id, { key, sha256, size: Number(size) });
    at = end + 1;
    // P43: after some lines, other requests get their turn.
    if (lines % linesPerTurn === 0) await turn();
  }
  // A comma before the closing brace is no JSON, which the parser finds in the whole document.
  if (at > start && /^\s*\}/.test(bytes.toString("latin1", at, at + 100))) return bytes;
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(at)]);
}

/** An entry as `manifestText` writes it, with another one behind it. */
const canonicalEntry = /^"([^"\\]+)":\{"key":"([^"\\]+)","sha256":"([^"\\]+)","size":([1-9]\d{0,14})\},$/;

/**
 * The key must be `tenants/<this tenant>/snapshots/<a snapshot>/<this response>`, nothing else (isolation).
 * `prefix`: its part up to the snapshot.
 */
function checkedEntry(
  name: ResponseName,
  entry: unknown,
  prefix: string,
  corrupt: (why: string) => Failure,
): { readonly snapshotId: SnapshotId; readonly entry: ResponseEntry } {
  const { key, sha256, size } = (entry ?? {}) as Record<string, unknown>;
  const suffix = `/${responsePath(name)}`;
  const keyFits = typeof key === "string" && key.startsWith(prefix) && key.endsWith(suffix);
  const snapshotId = keyFits ? key.slice(prefix.length, -suffix.length) : "";
  if (!keyFits || !isSnapshotId(snapshotId))
    throw corrupt(`names a foreign or wrong key for ${responsePath(name)}, so it is refused as a whole`);
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256))
    throw corrupt(`has a bad digest for ${key}`);
  if (typeof size !== "number" || !Number.isInteger(size) || size < 1 || size > maxResponseBytes)
    throw corrupt(`has a bad size for ${key}`);
  return { snapshotId, entry: { key: key as ObjectKey, sha256, size } };
}

/** A line takes 5 us, and 15 us before V8 has compiled the code. So these lines take about a millisecond. */
const linesPerTurn = 64;
const entriesOpening = '"programs":{\n';
const maxWholeBytes = 16 * 1024 * 1024;
/** The table keeps sizes in 32 bits. No response comes near this size. */
const maxResponseBytes = 2 ** 32 - 1;
