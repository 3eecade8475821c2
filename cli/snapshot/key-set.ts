import { hash } from "node:crypto";

/**
 * A set of object keys that takes some 16 to 32 bytes per key: it keeps 64 bits of a digest of each. Two keys of the same
 * digest count as one, which one pair in 10^19 does; so `has` may err by saying yes, never by saying no.
 */
export class KeySet {
  #slots = new Uint32Array(2 * 1024);
  #count = 0;

  get size(): number {
    return this.#count;
  }

  add(key: string): void {
    // At most half full, so that a search ends after one or two steps.
    if (this.#count * 4 >= this.#slots.length) this.#grow();
    const [high, low] = fingerprint(key);
    if (insert(this.#slots, high, low)) this.#count += 1;
  }

  has(key: string): boolean {
    const [high, low] = fingerprint(key);
    const at = slotOf(this.#slots, high, low);
    return this.#slots[at] !== 0 || this.#slots[at + 1] !== 0;
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    for (let at = 0; at < this.#slots.length; at += 2) {
      const [high = 0, low = 0] = [this.#slots[at], this.#slots[at + 1]];
      if (high !== 0 || low !== 0) insert(slots, high, low);
    }
    this.#slots = slots;
  }
}

/** Never two zeros, which mark an empty slot. */
function fingerprint(key: string): readonly [number, number] {
  const digest = hash("sha256", key, "buffer");
  return [digest.readUInt32LE(0), digest.readUInt32LE(4) || 1];
}

/** False when it is there already. */
function insert(slots: Uint32Array, high: number, low: number): boolean {
  const at = slotOf(slots, high, low);
  if (slots[at] === high && slots[at + 1] === low) return false;
  slots[at] = high;
  slots[at + 1] = low;
  return true;
}

/** Where the fingerprint is, or the empty slot where it would be. */
function slotOf(slots: Uint32Array, high: number, low: number): number {
  const mask = slots.length / 2 - 1;
  for (let slot = high & mask; ; slot = (slot + 1) & mask) {
    const at = slot * 2;
    if (slots[at] === high && slots[at + 1] === low) return at;
    if (slots[at] === 0 && slots[at + 1] === 0) return at;
  }
}
