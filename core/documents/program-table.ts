import { randomInt } from "node:crypto";
import type { ProgramId, SnapshotId } from "../ground/ids.ts";

/** A manifest's entry of one program's detail. */
export interface ProgramRecord {
  /** The snapshot whose folder has the file. */
  readonly snapshotId: SnapshotId;
  readonly sha256: string;
  readonly size: number;
}

/**
 * A map from program id to the record of its detail. A gateway may hold a thousand tenants of a thousand
 * programs, so it is packed: one buffer of entries and a hash table of their places take about 75 bytes per
 * program and are no work for the garbage collector, while a `Map` of objects takes over 220.
 */
export class ProgramTable {
  /** Entries one after the other: length of the id, id, digest, size, and number of the folder. */
  #bytes: Buffer;
  #used = 0;
  #count = 0;
  /** Linear probing. A slot holds an entry's place plus one, or 0. At most half of the slots are taken. */
  #slots: Uint32Array;
  readonly #folders: SnapshotId[] = [];
  readonly #folderNumbers = new Map<SnapshotId, number>();

  /** `expected`: about how many programs there will be, so that the table hardly grows. */
  constructor(expected = 0) {
    this.#bytes = Buffer.alloc(256 + expected * 64);
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(16 + expected * 2)));
  }

  get count(): number {
    return this.#count;
  }

  /** In the order in which they were added. */
  ids(): Generator<ProgramId> {
    return this.idsIn(() => true);
  }

  /** The programs whose detail is in the folder of a snapshot that is sought. */
  *idsIn(isSoughtIn: (snapshotId: SnapshotId) => boolean): Generator<ProgramId> {
    const isSought = this.#folders.map(isSoughtIn);
    // A list asks for this, so a thousand places are visited without calls: `readUInt32LE` alone would cost a
    // fifth more. A manifest has at most a million programs, so three bytes hold the number of any folder.
    const bytes = this.#bytes;
    for (let at = 0; at < this.#used; ) {
      const value = at + 1 + (bytes[at] ?? 0);
      const folder = value + digestBytes + 4;
      const number =
        (bytes[folder] ?? 0) | ((bytes[folder + 1] ?? 0) << 8) | ((bytes[folder + 2] ?? 0) << 16);
      if (isSought[number]) yield bytes.toString("latin1", at + 1, value) as ProgramId;
      at = value + valueBytes;
    }
  }

  /** The snapshots in whose folders the details are. */
  folders(): readonly SnapshotId[] {
    return this.#folders;
  }

  has(id: string): boolean {
    return this.#slots[this.#slotOf(id)] !== 0;
  }

  /** False when the table has the id already; nothing changes then. */
  add(id: ProgramId, { sha256, size, snapshotId }: ProgramRecord): boolean {
    const slot = this.#slotOf(id);
    if (this.#slots[slot] !== 0) return false;
    const folder = this.#folderNumbers.get(snapshotId) ?? this.#folders.push(snapshotId) - 1;
    this.#folderNumbers.set(snapshotId, folder);
    this.#slots[slot] = this.#append(id, sha256, size, folder) + 1;
    this.#count += 1;
    if (this.#count * 2 > this.#slots.length) this.#growSlots();
    return true;
  }

  get(id: string): ProgramRecord | undefined {
    const entry = this.#slots[this.#slotOf(id)] ?? 0;
    if (entry === 0) return undefined;
    const at = this.#valueAt(entry - 1);
    const snapshotId = this.#folders[this.#bytes.readUInt32LE(at + digestBytes + 4)];
    if (snapshotId === undefined) throw new RangeError("an entry without a folder");
    const sha256 = this.#bytes.toString("hex", at, at + digestBytes);
    return { snapshotId, sha256, size: this.#bytes.readUInt32LE(at + digestBytes) };
  }

  #append(id: string, sha256: string, size: number, folder: number): number {
    const at = this.#used;
    this.#used += 1 + id.length + valueBytes;
    if (this.#used > this.#bytes.length) {
      // An eighth more, since most tables never grow again.
      const grown = Buffer.alloc(Math.max(this.#used, Math.ceil(this.#bytes.length * 1.125)));
      this.#bytes.copy(grown, 0, 0, at);
      this.#bytes = grown;
    }
    this.#bytes[at] = id.length;
    this.#bytes.write(id, at + 1, "latin1");
    const value = this.#valueAt(at);
    this.#bytes.write(sha256, value, digestBytes, "hex");
    this.#bytes.writeUInt32LE(size, value + digestBytes);
    this.#bytes.writeUInt32LE(folder, value + digestBytes + 4);
    return at;
  }

  #valueAt(at: number): number {
    return at + 1 + (this.#bytes[at] ?? 0);
  }

  /** The slot of the id, or the free slot where it would be. */
  #slotOf(id: string): number {
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(id) & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? 0;
      if (entry === 0 || this.#isIdAt(entry - 1, id)) return slot;
    }
  }

  #isIdAt(at: number, id: string): boolean {
    if (this.#bytes[at] !== id.length) return false;
    for (let index = 0; index < id.length; index += 1) {
      if (this.#bytes[at + 1 + index] !== id.charCodeAt(index)) return false;
    }
    return true;
  }

  #growSlots(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let at = 0; at < this.#used; at = this.#valueAt(at) + valueBytes) {
      this.#slots[this.#slotOf(this.#bytes.toString("latin1", at + 1, this.#valueAt(at)))] = at + 1;
    }
  }
}

const digestBytes = 32;
const valueBytes = digestBytes + 4 + 4;

/** Differs in each process, so that nobody can choose ids that all have the same hash. */
const seed = randomInt(2 ** 32);

/** 32 bits of FNV-1a, with its better mixed upper half folded into the lower. */
function hashOf(id: string): number {
  let hash = seed;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
