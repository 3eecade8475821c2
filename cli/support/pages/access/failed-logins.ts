import { LRUCache } from "lru-cache";

/** Counts tries to sign in that failed. A try counts from its beginning, so that many at once are not one. */
export interface FailedLogins {
  /** Counts a try; the seconds to wait instead where there were too many. */
  begin(who: Attempt, nowMs: number): { readonly waitSeconds: number } | undefined;
  /** The try succeeded, and does not count. */
  succeeded(who: Attempt): void;
}

interface Attempt {
  readonly address: string;
  readonly name: string;
}

const windowMs = 60_000;
/** Somebody tries their passwords; nobody tries a list of them. */
const maxPerName = 10;
/** A team may share one address, or that of the proxy in front. */
const maxPerAddress = 30;

/** P65. Bounded: the names and addresses that were tried longest ago are forgotten. */
export function createFailedLogins(): FailedLogins {
  const tries = new LRUCache<string, { count: number; readonly endsAtMs: number }>({ max: 10_000 });
  const keysOf = ({ address, name }: Attempt): readonly (readonly [string, number])[] => [
    [`address ${address}`, maxPerAddress],
    [`name ${name.slice(0, 100)}`, maxPerName],
  ];
  return {
    begin(who, nowMs) {
      const keys = keysOf(who);
      for (const [key, max] of keys) {
        const found = tries.get(key);
        if (found !== undefined && nowMs < found.endsAtMs && found.count >= max) {
          return { waitSeconds: Math.ceil((found.endsAtMs - nowMs) / 1000) };
        }
      }
      for (const [key] of keys) {
        const found = tries.get(key);
        if (found !== undefined && nowMs < found.endsAtMs) found.count += 1;
        else tries.set(key, { count: 1, endsAtMs: nowMs + windowMs });
      }
      return undefined;
    },
    succeeded(who) {
      for (const [key] of keysOf(who)) {
        const found = tries.get(key);
        if (found !== undefined) found.count -= 1;
      }
    },
  };
}
