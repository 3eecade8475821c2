import { asFailure, Failure } from "../../../core/failure.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import type { ETag, ObjectStore, PutCondition } from "../../../core/object-store.ts";
import { type ProbeObjects, probeBody, probeText, readProbe } from "../../publish/store/probe-objects.ts";

interface Effort {
  readonly rounds: number;
  readonly contenders: number;
}

/** Whether the store honours conditional writes, also several at once. If not, `reason` tells what it did. */
export type ConditionalWrites =
  | { readonly kind: "honoured" }
  | { readonly kind: "broken"; readonly reason: string };

/** Whether exactly one of several simultaneous puts with `If-None-Match: *` is stored. */
export async function probePutIfAbsent(
  store: ObjectStore,
  objects: ProbeObjects,
  { rounds, contenders }: Effort,
  signal: AbortSignal,
): Promise<ConditionalWrites> {
  const condition: PutCondition = { kind: "absent" };
  for (let round = 0; round < rounds; round += 1) {
    const name = `absent-${round}`;
    const outcome = await race(store, {
      key: objects.key(`${name}.json`),
      condition,
      contenders,
      name,
      signal,
    });
    if (outcome.kind !== "one_winner") return broken("If-None-Match: *", contenders, outcome);
  }
  return honoured;
}

/** Whether exactly one of several simultaneous puts with `If-Match` is stored. Each round builds on the winner of the last. */
export async function probePutIfMatch(
  store: ObjectStore,
  objects: ProbeObjects,
  { rounds, contenders }: Effort,
  signal: AbortSignal,
): Promise<ConditionalWrites> {
  const key = objects.key("match.json");
  let etag = await putFirst(store, objects, signal);
  for (let round = 0; round < rounds; round += 1) {
    const condition: PutCondition = { kind: "match", etag };
    const outcome = await race(store, { key, condition, contenders, name: `match-${round}`, signal });
    if (outcome.kind !== "one_winner") return broken("If-Match", contenders, outcome);
    etag = outcome.etag;
  }
  return honoured;
}

const honoured: ConditionalWrites = { kind: "honoured" };

async function putFirst(store: ObjectStore, objects: ProbeObjects, signal: AbortSignal): Promise<ETag> {
  const result = await store.put(objects.key("match.json"), probeBody("match"), { signal });
  if (result.kind === "stored") return result.etag;
  throw new Failure(
    "store_unsupported",
    `${store.address}: a put without a condition was refused for its condition.`,
  );
}

function broken(
  header: string,
  contenders: number,
  outcome: Exclude<RaceOutcome, { readonly kind: "one_winner" }>,
): ConditionalWrites {
  const reason =
    outcome.kind === "no_winner"
      ? `of ${contenders} puts at once with ${header} none was stored, though the condition held.`
      : `of ${contenders} puts at once with ${header} ${outcome.stored} were stored, where only one may be.`;
  return { kind: "broken", reason };
}

/** The outcome of several simultaneous puts with the same condition. */
type RaceOutcome =
  /** Exactly one was stored. `etag` is that of the stored object. */
  | { readonly kind: "one_winner"; readonly etag: ETag }
  | { readonly kind: "many_winners"; readonly stored: number }
  /** The store refused them all, although the condition held. */
  | { readonly kind: "no_winner" };

interface Race {
  readonly key: ObjectKey;
  readonly condition: PutCondition;
  readonly contenders: number;
  /** Distinguishes the bodies of this race from those of others. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * Puts different bodies under one key at once, then reads the key, since answers may get lost, and some stores answer losers with
 * 500. Throws the failure of a put when the store was away for all of them.
 */
async function race(
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
