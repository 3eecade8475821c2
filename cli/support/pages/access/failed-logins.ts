import { LRUCache } from "lru-cache";

interface Attempt {
  readonly address: string;
  readonly name: string;
}

const windowMs = 60_000;
/** Enough for a person who tries several passwords of their own, and too few for a list of passwords. */
const maxPerName = 10;
/** A team may share one address, such as that of a proxy in front. */
const maxPerAddress = 30;

/**
 * P65: counts failed tries to sign in, per name and per address, and limits them. A try counts from its beginning, so that many
 * tries at once are counted, too. Memory is bounded: names and addresses that were tried longest ago are forgotten.
 */
export function createFailedLogins() {
  const tries = new LRUCache<string, { count: number; readonly endsAtMs: number }>({ max: 10_000 });
  const keysOf = ({ address, name }: Attempt): readonly (readonly [string, number])[] => [
    [`address ${address}`, maxPerAddress],
    [`name ${name.slice(0, 100)}`, maxPerName],
  ];
  return {
    /** Counts a try. When there were too many, counts nothing and returns the seconds to wait. */
    begin(who: Attempt, nowMs: number): number | undefined {
      const keys = keysOf(who);
      for (const [key, max] of keys) {
        const found = tries.get(key);
        if (found !== undefined && nowMs < found.endsAtMs && found.count >= max) {
          return Math.ceil((found.endsAtMs - nowMs) / 1000);
        }
      }
      for (const [key] of keys) {
        const found = tries.get(key);
        if (found !== undefined && nowMs < found.endsAtMs) found.count += 1;
        else tries.set(key, { count: 1, endsAtMs: nowMs + windowMs });
      }
      return undefined;
    },
    /** The try succeeded, and does not count. */
    succeeded(who: Attempt): void {
      for (const [key] of keysOf(who)) {
        const found = tries.get(key);
        if (found !== undefined) found.count -= 1;
      }
    },
  };
}
