/** The bytes of a row: the digest, the characters of the id after `tok_`, and the bytes that the caller writes. */
export interface TokenRow {
  readonly block: Buffer;
  readonly at: number;
}

export const digestBytes = 32;
export const idBytes = 16;

/**
 * Rows of `rowBytes` bytes, found by their digest. No two rows have the same digest or the same id. The rows lie in blocks that
 * are never moved, so even 100,000 rows are no work for the garbage collector. Each row takes its bytes and about twenty
 * more for the indexes.
 */
export class TokenRows {
  readonly #rowBytes: number;
  readonly #blocks: Buffer[] = [];
  #count = 0;
  readonly #byDigest: RowIndex;
  readonly #byId: RowIndex;
  /** The bytes of the digest that is being looked up. */
  readonly #sought: TokenRow = { block: Buffer.alloc(digestBytes), at: 0 };

  constructor(rowBytes: number) {
    this.#rowBytes = rowBytes;
    const row = (number: number): TokenRow => this.#row(number);
    this.#byDigest = new RowIndex(row, 0, digestBytes);
    this.#byId = new RowIndex(row, digestBytes, idBytes);
  }

  /** Adds a row, whose further bytes the caller writes. `undefined` when the digest or the id exists; nothing is added then. */
  add(sha256: string, id: string): TokenRow | undefined {
    const number = this.#count;
    if (number % rowsPerBlock === 0 && this.#blocks.length * rowsPerBlock === number) {
      this.#blocks.push(Buffer.allocUnsafeSlow(rowsPerBlock * this.#rowBytes));
    }
    const row = this.#row(number);
    row.block.write(sha256, row.at, digestBytes, "hex");
    row.block.write(id, row.at + digestBytes, idBytes, "latin1");
    if (this.#byDigest.find(row) !== undefined || this.#byId.find(row) !== undefined) return undefined;
    this.#count += 1;
    this.#byDigest.add(number);
    this.#byId.add(number);
    return row;
  }

  get(sha256: string): TokenRow | undefined {
    this.#sought.block.write(sha256, "hex");
    const number = this.#byDigest.find(this.#sought);
    return number === undefined ? undefined : this.#row(number);
  }

  *all(): Generator<TokenRow> {
    for (let number = 0; number < this.#count; number += 1) yield this.#row(number);
  }

  /** Forgets the rows and keeps their memory. */
  clear(): void {
    this.#count = 0;
    this.#byDigest.clear();
    this.#byId.clear();
  }

  #row(number: number): TokenRow {
    const block = this.#blocks[Math.floor(number / rowsPerBlock)];
    if (block === undefined) throw new RangeError(`no row ${number}`);
    return { block, at: (number % rowsPerBlock) * this.#rowBytes };
  }
}

const rowsPerBlock = 1024;

/** Finds rows by some of their bytes: a hash table with linear probing, at most half full. */
class RowIndex {
  readonly #row: (number: number) => TokenRow;
  readonly #from: number;
  readonly #bytes: number;
  /** Two numbers per slot: the hash of a row, and the row's number plus one, or 0 for a free slot. */
  #slots = new Uint32Array(2 * 64);
  #count = 0;

  constructor(row: (number: number) => TokenRow, from: number, bytes: number) {
    this.#row = row;
    this.#from = from;
    this.#bytes = bytes;
  }

  find(sought: TokenRow): number | undefined {
    const hash = this.#hashOf(sought);
    const mask = this.#slots.length / 2 - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[2 * slot + 1] ?? 0;
      if (number === 0) return undefined;
      if (this.#slots[2 * slot] === hash && this.#isEqual(sought, this.#row(number - 1))) return number - 1;
    }
  }

  /** Adds a row whose bytes no other row has. */
  add(number: number): void {
    this.#count += 1;
    if (this.#count * 4 > this.#slots.length) this.#grow();
    this.#fill(this.#hashOf(this.#row(number)), number + 1);
  }

  clear(): void {
    this.#slots.fill(0);
    this.#count = 0;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(2 * before.length);
    for (let at = 0; at < before.length; at += 2) {
      if (before[at + 1] !== 0) this.#fill(before[at] ?? 0, before[at + 1] ?? 0);
    }
  }

  #fill(hash: number, value: number): void {
    const mask = this.#slots.length / 2 - 1;
    let slot = hash & mask;
    while (this.#slots[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
    this.#slots[2 * slot] = hash;
    this.#slots[2 * slot + 1] = value;
  }

  /** Reads four bytes at a time. The number of bytes is a multiple of four. */
  #hashOf({ block, at }: TokenRow): number {
    let hash = 0x811c9dc5;
    for (let word = at + this.#from; word < at + this.#from + this.#bytes; word += 4) {
      hash = Math.imul(hash ^ block.readUInt32LE(word), 0x01000193);
    }
    return (hash ^ (hash >>> 15)) >>> 0;
  }

  #isEqual(one: TokenRow, other: TokenRow): boolean {
    for (let word = this.#from; word < this.#from + this.#bytes; word += 4) {
      if (one.block.readUInt32LE(one.at + word) !== other.block.readUInt32LE(other.at + word)) return false;
    }
    return true;
  }
}
