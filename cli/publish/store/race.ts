import { asFailure, Failure } from "../../../core/failure.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import type { ETag, ObjectStore, PutCondition } from "../../../core/object-store.ts";
import { probeBody, probeText, readProbe } from "./probe-objects.ts";

/** What several puts at once with the same condition came to. */
export type RaceOutcome =
  /** One was stored and none after it; `etag` is the object's now. */
  | { readonly kind: "one_winner"; readonly etag: ETag }
  | { readonly kind: "many_winners"; readonly stored: number }
  /** The condition held, and yet the store refused them all. */
  | { readonly kind: "no_winner" };

export interface Race {
  readonly key: ObjectKey;
  readonly condition: PutCondition;
  readonly contenders: number;
  /** Tells this race's bodies from all others. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * Has contenders put different bodies under one key at once and then looks what is there: an answer may get lost, and
 * some stores tell losers 500, so the answers alone do not say how many were stored. Throws the failure of a contender
 * when the store was away for all of them.
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
  // A contender whose put was refused has overwritten the one whose put was accepted.
  if (stored === 1 && answers[winner] !== "stored") return { kind: "many_winners", stored: 2 };
  return { kind: "one_winner", etag: found.etag };
}
