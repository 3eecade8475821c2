import type { ProgramId, SnapshotId } from "./ids.ts";

/** What a manifest says of one program's detail. */
export interface ProgramRecord {
  /** The build whose folder holds the file. */
  readonly snapshotId: SnapshotId;
  readonly sha256: string;
  readonly size: number;
}

/**
 * Program id → where its detail lies, for 100,000 programs and more: digests packed in one buffer and folder
 * names shared, which takes about a fifth of the memory of one object per program.
 */
export class ProgramTable {
  readonly #rows = new Map<string, number>();
  readonly #folders: SnapshotId[] = [];
  readonly #folderNumbers = new Map<SnapshotId, number>();
  #digests = Buffer.allocUnsafe(64 * digestBytes);
  #sizesAndFolders = new Uint32Array(64 * 2);

  get count(): number {
    return this.#rows.size;
  }

  /** Bytes held, roughly: what a cache accounts for. */
  get approximateBytes(): number {
    return this.#digests.length + this.#sizesAndFolders.byteLength + this.#rows.size * 80 + 1024;
  }

  /** Ids in the order in which they were added. */
  ids(): IterableIterator<ProgramId> {
    return this.#rows.keys() as IterableIterator<ProgramId>;
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  /** False, and nothing is changed, when the id is there already. */
  add(id: ProgramId, record: ProgramRecord): boolean {
    if (this.#rows.has(id)) return false;
    const row = this.#rows.size;
    this.#reserve(row + 1);
    this.#digests.write(record.sha256, row * digestBytes, "hex");
    this.#sizesAndFolders[row * 2] = record.size;
    this.#sizesAndFolders[row * 2 + 1] = this.#folderNumber(record.snapshotId);
    this.#rows.set(id, row);
    return true;
  }

  get(id: string): ProgramRecord | undefined {
    const row = this.#rows.get(id);
    if (row === undefined) return undefined;
    const snapshotId = this.#folders[this.#sizesAndFolders[row * 2 + 1] ?? 0];
    if (snapshotId === undefined) return undefined;
    return {
      snapshotId,
      sha256: this.#digests.toString("hex", row * digestBytes, (row + 1) * digestBytes),
      size: this.#sizesAndFolders[row * 2] ?? 0,
    };
  }

  #folderNumber(snapshotId: SnapshotId): number {
    const known = this.#folderNumbers.get(snapshotId);
    if (known !== undefined) return known;
    const number = this.#folders.push(snapshotId) - 1;
    this.#folderNumbers.set(snapshotId, number);
    return number;
  }

  #reserve(rows: number): void {
    if (rows * digestBytes <= this.#digests.length) return;
    const digests = Buffer.allocUnsafe(this.#digests.length * 2);
    this.#digests.copy(digests);
    this.#digests = digests;
    const numbers = new Uint32Array(this.#sizesAndFolders.length * 2);
    numbers.set(this.#sizesAndFolders);
    this.#sizesAndFolders = numbers;
  }
}

const digestBytes = 32;
