import { asFailure, Failure } from "../../../core/failure.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import type { ETag, ObjectStore, PutCondition } from "../../../core/object-store.ts";
import { probeBody, probeText, readProbe } from "./probe-objects.ts";

/** The outcome of several simultaneous puts with the same condition. */
export type RaceOutcome =
  /** Exactly one was stored. `etag` is that of the stored object. */
  | { readonly kind: "one_winner"; readonly etag: ETag }
  | { readonly kind: "many_winners"; readonly stored: number }
  /** The store refused them all, although the condition held. */
  | { readonly kind: "no_winner" };

export interface Race {
  readonly key: ObjectKey;
  readonly condition: PutCondition;
  readonly contenders: number;
  /** Distinguishes the bodies of this race from those of others. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * Puts different bodies under one key at once, and then reads the key. The answers alone do not tell how many puts were stored,
 * because an answer may get lost, and some stores answer losers with 500. Throws the failure of a put when the store was away
 * for all of them.
 */
export async function race(
  store: ObjectStore,
  { key, condition, contenders, name, signal }: Race,
): Promise<RaceOutcome> {
  const names = Array.from({ length: contenders }, (_, contender) => `${name} ${contender}`);
  const answers = await Promise.all(
    names.map(async (each) => {
      try {
        return (await store.put(key, probeBody(each), { condition, signal })).kind;
      } catch (error) {
        return asFailure(error);
      }
    }),
  );
  const failures = answers.filter((answer) => answer instanceof Failure);
  for (const failure of failures) if (failure.code !== "store_unavailable") throw failure;

  const stored = answers.filter((answer) => answer === "stored").length;
  if (stored > 1) return { kind: "many_winners", stored };
  const found = await readProbe(store, key, signal);
  const winner = names.findIndex((each) => probeText(each) === found?.text);
  if (found === undefined || winner === -1) {
    const [failure] = failures;
    if (failure !== undefined) throw failure;
    return { kind: "no_winner" };
  }
  // The key holds the body of a put that was refused, so it has overwritten the one that was accepted.
  if (stored === 1 && answers[winner] !== "stored") return { kind: "many_winners", stored: 2 };
  return { kind: "one_winner", etag: found.etag };
}
