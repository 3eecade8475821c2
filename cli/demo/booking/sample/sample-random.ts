/** Random numbers that follow from a key alone, so that they are the same on every machine. They are not for secrets. */
export interface SampleRandom {
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** `true` in `percent` of 100 cases. */
  chance(percent: number): boolean;
  pick<Item>(list: readonly [Item, ...Item[]] | readonly Item[]): Item;
}

export function sampleRandom(key: string): SampleRandom {
  let state = hash(key);
  // mulberry32: a small generator with 32 bits of state, good enough for sample data.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    integer,
    chance: (percent) => next() * 100 < percent,
    pick: (list) => {
      const item = list[integer(0, list.length - 1)];
      if (item === undefined) throw new RangeError("nothing to pick from");
      return item;
    },
  };
}

/** FNV-1a over the UTF-16 code units. The mix at the end makes the states of similar keys differ. */
function hash(key: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) {
    value = Math.imul(value ^ key.charCodeAt(at), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return value ^ (value >>> 13);
}
