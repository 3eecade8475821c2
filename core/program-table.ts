import type { ProgramId, SnapshotId } from "./ids.ts";
import { PackedMap } from "./packed-map.ts";

/** A manifest's entry of one program's detail. */
export interface ProgramRecord {
  /** The snapshot whose folder has the file. */
  readonly snapshotId: SnapshotId;
  readonly sha256: string;
  readonly size: number;
}

/**
 * A map from program id to the record of its detail, for 100,000 programs and more. It is packed: the digest is kept as bytes,
 * and programs share the names of folders. So it takes about 70 bytes per program, a tenth of an object's size.
 */
export class ProgramTable {
  /** For each program: the digest, the size and the number of the folder. */
  readonly #records = new PackedMap(digestBytes + 4 + 4);
  readonly #folders: SnapshotId[] = [];
  readonly #folderNumbers = new Map<SnapshotId, number>();

  get count(): number {
    return this.#records.count;
  }

  /** In the order in which they were added. */
  ids(): IterableIterator<ProgramId> {
    return this.#records.ids() as Generator<string> as Generator<ProgramId>;
  }

  has(id: string): boolean {
    return this.#records.get(id) !== undefined;
  }

  /** False when the table has the id already; nothing changes then. */
  add(id: ProgramId, { sha256, size, snapshotId }: ProgramRecord): boolean {
    const value = this.#records.add(id);
    if (value === undefined) return false;
    const { block, at } = value;
    block.write(sha256, at, digestBytes, "hex");
    block.writeUInt32LE(size, at + digestBytes);
    block.writeUInt32LE(this.#folderNumber(snapshotId), at + digestBytes + 4);
    return true;
  }

  get(id: string): ProgramRecord | undefined {
    const value = this.#records.get(id);
    if (value === undefined) return undefined;
    const { block, at } = value;
    const snapshotId = this.#folders[block.readUInt32LE(at + digestBytes + 4)];
    if (snapshotId === undefined) return undefined;
    const sha256 = block.toString("hex", at, at + digestBytes);
    return { snapshotId, sha256, size: block.readUInt32LE(at + digestBytes) };
  }

  #folderNumber(snapshotId: SnapshotId): number {
    const known = this.#folderNumbers.get(snapshotId);
    if (known !== undefined) return known;
    const number = this.#folders.push(snapshotId) - 1;
    this.#folderNumbers.set(snapshotId, number);
    return number;
  }
}

const digestBytes = 32;
