import { randomInt } from "node:crypto";

/** The bytes of a value: `block` from `at` on. */
export interface PackedValue {
  readonly block: Buffer;
  readonly at: number;
}

/**
 * A map from ids, of 1 to 255 ASCII characters, to values of `valueBytes` bytes, in the order of adding. Entries are packed into
 * blocks that are never moved, so even 100,000 entries are no work for the garbage collector, and growing leaves no garbage.
 * An entry takes its bytes and about sixteen more, while a `Map` takes over 100.
 */
export class PackedMap {
  readonly #valueBytes: number;
  /**
   * An entry is the length of the id, the id, the value and the id's hash. No entry lies in two blocks. A length of 0, or the
   * end of the block, follows the block's last entry.
   */
  readonly #blocks: Buffer[] = [];
  #used = 0;
  #count = 0;
  /** A hash table with linear probing. A slot holds the position of an entry plus one, or 0. It is at most half full. */
  #slots = new Uint32Array(32);

  constructor(valueBytes: number) {
    this.#valueBytes = valueBytes;
  }

  get count(): number {
    return this.#count;
  }

  get(id: string): PackedValue | undefined {
    const entry = this.#slots[this.#slotOf(id, hashOf(id))] ?? 0;
    return entry === 0 ? undefined : this.#valueAt(entry - 1);
  }

  /** Adds an id with a value of zeros, which the caller fills in. `undefined` when the map has the id; nothing changes then. */
  add(id: string): PackedValue | undefined {
    const hash = hashOf(id);
    const slot = this.#slotOf(id, hash);
    if (this.#slots[slot] !== 0) return undefined;
    const position = this.#append(id, hash);
    this.#slots[slot] = position + 1;
    this.#count += 1;
    if (this.#count * 2 > this.#slots.length) this.#growSlots();
    return this.#valueAt(position);
  }

  *ids(): Generator<string> {
    for (const position of this.#positions()) yield this.#idAt(position);
  }

  *#positions(): Generator<number> {
    for (const [number, block] of this.#blocks.entries()) {
      for (let at = 0; (block[at] ?? 0) > 0; at += this.#entryBytes(block[at] ?? 0)) {
        yield number * maxBlockBytes + at;
      }
    }
  }

  #entryBytes(idLength: number): number {
    return 1 + idLength + this.#valueBytes + hashBytes;
  }

  #append(id: string, hash: number): number {
    const bytes = this.#entryBytes(id.length);
    let block = this.#blocks.at(-1);
    if (block === undefined || this.#used + bytes > block.length) {
      // The first blocks are small, since most tenants have few programs.
      block = Buffer.alloc(block === undefined ? minBlockBytes : Math.min(maxBlockBytes, 2 * block.length));
      this.#blocks.push(block);
      this.#used = 0;
    }
    const at = this.#used;
    block[at] = id.length;
    block.write(id, at + 1, "latin1");
    this.#used += bytes;
    block.writeUInt32LE(hash, this.#used - hashBytes);
    return (this.#blocks.length - 1) * maxBlockBytes + at;
  }

  /** The slot of the id, or the free slot where it would be. */
  #slotOf(id: string, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot] ?? 0;
      if (entry === 0 || this.#isIdAt(entry - 1, id)) return slot;
    }
  }

  #growSlots(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (const position of this.#positions()) {
      const { block, at } = this.#valueAt(position);
      let slot = block.readUInt32LE(at + this.#valueBytes) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = position + 1;
    }
    this.#slots = slots;
  }

  #isIdAt(position: number, id: string): boolean {
    const [block, at] = this.#entryAt(position);
    if (block[at] !== id.length) return false;
    for (let index = 0; index < id.length; index += 1) {
      if (block[at + 1 + index] !== id.charCodeAt(index)) return false;
    }
    return true;
  }

  #idAt(position: number): string {
    const [block, at] = this.#entryAt(position);
    return block.toString("latin1", at + 1, at + 1 + (block[at] ?? 0));
  }

  #valueAt(position: number): PackedValue {
    const [block, at] = this.#entryAt(position);
    return { block, at: at + 1 + (block[at] ?? 0) };
  }

  #entryAt(position: number): readonly [block: Buffer, at: number] {
    const block = this.#blocks[Math.floor(position / maxBlockBytes)];
    if (block === undefined) throw new RangeError(`no entry at ${position}`);
    return [block, position % maxBlockBytes];
  }
}

const hashBytes = 4;
const minBlockBytes = 1024;
const maxBlockBytes = 64 * 1024;

/** Differs in each process, so that nobody can choose ids that all have the same hash. */
const seed = randomInt(2 ** 32);

/** 32 bits of FNV-1a, with its better mixed upper half folded into the lower. */
function hashOf(id: string): number {
  let hash = seed;
  for (let at = 0; at < id.length; at += 1) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
