import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { isManifestDocument } from "../schemas/generated/validators-stored.ts";
import { Failure } from "./failure.ts";
import { isProgramId, isSnapshotId, type SnapshotId, type TenantId } from "./ids.ts";
import type { Manifest, ResponseEntry } from "./manifest.ts";
import { type ObjectKey, type ResponseName, responsePath, snapshotsPrefix } from "./object-key.ts";
import { ProgramTable } from "./program-table.ts";
import { parseStoredDocument } from "./stored-document.ts";

/** The statements of the pointer that the manifest must fit. */
export interface ExpectedManifest {
  readonly tenantId: TenantId;
  readonly snapshotId: SnapshotId;
  readonly manifestSha256: string;
}

/**
 * P4: reads a manifest as it arrives. Throws `corrupt_document` unless the bytes have the digest in the pointer, the document
 * names the pointer's tenant and snapshot, and *every* key lies below that tenant's prefix and is the key of its own response. No
 * part of a refused manifest is used.
 *
 * The canonical form (`manifestText`) is parsed line by line, some lines per turn of the event loop. So a manifest of 100,000
 * programs is never in memory as a whole and does not delay other requests. Any other JSON of the same schema is read as a whole.
 */
export async function readManifest(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  expected: ExpectedManifest,
): Promise<Manifest> {
  const what = `manifest.json of snapshot ${expected.snapshotId} of tenant ${expected.tenantId}`;
  const corrupt = (why: string): Failure => new Failure("corrupt_document", `${what} ${why}.`);
  const prefix = snapshotsPrefix(expected.tenantId);
  const hash = createHash("sha256");
  const programs = new ProgramTable();
  /** The text without the entries of the canonical form. It is parsed as a whole. */
  let outside = "";
  /** The last characters of `outside`. Looking at the end of a growing text would copy all of it each time. */
  let ending = "";
  let isAmongEntries = false;

  const takeOutside = (line: string): void => {
    outside += line;
    ending = (ending + line).slice(-entriesOpening.length);
  };
  const takeLine = (line: string): void => {
    if (!isAmongEntries) {
      takeOutside(line);
      isAmongEntries = programs.count === 0 && ending === entriesOpening;
      return;
    }
    const entries = entriesOf(line);
    if (entries === undefined && programs.count > 0) throw corrupt("has a line that is no entry");
    if (entries === undefined) takeOutside(line);
    for (const [id, entry] of entries ?? []) addEntry(programs, id, entry, prefix, corrupt);
    // Only the last entry has no comma after it.
    isAmongEntries = entries !== undefined && line.trimEnd().endsWith(",");
  };
  const reader = new LineReader(what);
  let lines = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    for (const line of reader.add(chunk)) {
      takeLine(line);
      lines += 1;
      // P43: after some lines, other requests get their turn.
      if (lines % linesPerTurn === 0) await turn();
    }
    if (outside.length + reader.restLength > maxWholeLength)
      throw corrupt("is too large for a form other than the canonical one");
  }
  const rest = reader.end();
  if (hash.digest("hex") !== expected.manifestSha256)
    throw corrupt("has not the digest that current.json states");

  const document = parseStoredDocument(Buffer.from(outside + rest), isManifestDocument, what);
  for (const [id, entry] of Object.entries(document.programs)) {
    addEntry(programs, id, entry, prefix, corrupt);
  }
  if (document.tenantId !== expected.tenantId) throw corrupt("belongs to another tenant");
  if (document.snapshotId !== expected.snapshotId) throw corrupt("belongs to another snapshot");
  if (document.counts.programs !== programs.count) throw corrupt("counts other programs than it names");
  return {
    tenantId: expected.tenantId,
    generation: document.generation,
    snapshotId: expected.snapshotId,
    parent: document.parent === null || !isSnapshotId(document.parent) ? null : document.parent,
    ancestors: document.ancestors?.filter(isSnapshotId),
    generatedAt: document.generatedAt,
    contentAt: document.contentAt,
    contract: document.contract,
    list: checkedEntry({ kind: "list" }, document.list, prefix, corrupt).entry,
    legacy: checkedEntry({ kind: "legacy" }, document.legacy, prefix, corrupt).entry,
    programs,
  };
}

type Corrupt = (why: string) => Failure;

/** The entries on a line (one in the canonical form), or `undefined` when the line has none. */
function entriesOf(line: string): readonly (readonly [id: string, entry: unknown])[] | undefined {
  const text = line.trim();
  const entries = text.endsWith(",") ? text.slice(0, -1) : text;
  const [, id, key, sha256, size] = canonicalEntry.exec(entries) ?? [];
  if (id !== undefined) return [[id, { key, sha256, size: Number(size) }]];
  try {
    return Object.entries(JSON.parse(`{${entries}}`) as object);
  } catch {
    return undefined;
  }
}

/**
 * An entry as `manifestText` writes it. `JSON.parse` would leave each id, as the key of an object, in V8's memory until the next
 * full garbage collection.
 */
const canonicalEntry = /^"([^"\\]+)":\{"key":"([^"\\]+)","sha256":"([^"\\]+)","size":([1-9]\d{0,14})\}$/;

function addEntry(
  programs: ProgramTable,
  id: string,
  entry: unknown,
  prefix: string,
  corrupt: Corrupt,
): void {
  if (!isProgramId(id)) throw corrupt("has an entry for what is no program id");
  const name = { kind: "detail", programId: id } as const;
  const { snapshotId, entry: checked } = checkedEntry(name, entry, prefix, corrupt);
  const added = programs.add(id, { snapshotId, sha256: checked.sha256, size: checked.size });
  if (!added) throw corrupt(`names program ${id} twice`);
}

/**
 * The key must be `tenants/<this tenant>/snapshots/<a snapshot>/<this response>`, nothing else (isolation). `prefix`: its part up to
 * the snapshot.
 */
function checkedEntry(
  name: ResponseName,
  entry: unknown,
  prefix: string,
  corrupt: Corrupt,
): { readonly snapshotId: SnapshotId; readonly entry: ResponseEntry } {
  const { key, sha256, size } = (entry ?? {}) as Record<string, unknown>;
  const suffix = `/${responsePath(name)}`;
  const keyFits = typeof key === "string" && key.startsWith(prefix) && key.endsWith(suffix);
  const snapshotId = keyFits ? key.slice(prefix.length, -suffix.length) : "";
  if (!keyFits || !isSnapshotId(snapshotId)) {
    throw corrupt(`names a foreign or wrong key for ${responsePath(name)}, so it is refused as a whole`);
  }
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256))
    throw corrupt(`has a bad digest for ${key}`);
  if (typeof size !== "number" || !Number.isInteger(size) || size < 1 || size > maxResponseBytes) {
    throw corrupt(`has a bad size for ${key}`);
  }
  return { snapshotId, entry: { key: key as ObjectKey, sha256, size } };
}

/** A line takes 5 us, and 15 us before V8 has compiled the code. So these lines take about a millisecond. */
const linesPerTurn = 64;
const entriesOpening = '"programs":{';
const maxWholeLength = 16 * 1024 * 1024;
/** The table keeps sizes in 32 bits. No response comes near this size. */
const maxResponseBytes = 2 ** 32 - 1;

/** Splits the UTF-8 text of a stored document into lines as its bytes arrive. */
class LineReader {
  readonly #what: string;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  /** The text after the last line break so far. It is joined once, so a long line is not copied again with each chunk. */
  #rest: string[] = [];
  restLength = 0;

  constructor(what: string) {
    this.#what = what;
  }

  /** The lines that end in this chunk. Throws `corrupt_document` when the bytes are not UTF-8. */
  add(chunk: Uint8Array): readonly string[] {
    const [first = "", ...others] = this.#decode(chunk).split("\n");
    this.#keep(first);
    const rest = others.pop();
    if (rest === undefined) return [];
    const lines = [this.#takeRest(), ...others];
    this.#keep(rest);
    return lines;
  }

  /** The text after the last line break. Called after the last chunk. */
  end(): string {
    this.#keep(this.#decode());
    return this.#takeRest();
  }

  #keep(text: string): void {
    this.#rest.push(text);
    this.restLength += text.length;
  }

  #takeRest(): string {
    const text = this.#rest.join("");
    this.#rest = [];
    this.restLength = 0;
    return text;
  }

  #decode(chunk?: Uint8Array): string {
    try {
      return this.#decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (error) {
      throw new Failure("corrupt_document", `${this.#what} is not UTF-8.`, { cause: error });
    }
  }
}
