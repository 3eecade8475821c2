import { Failure } from "../../../core/failure.ts";
import type { ETag, ObjectStore, PutCondition } from "../../../core/object-store.ts";
import { createProbeObjects, type ProbeObjects, probeBody, probeRandomBytes } from "./probe-objects.ts";
import { type RaceOutcome, race } from "./race.ts";

export interface ProbeOptions {
  readonly randomBytes: (size: number) => Uint8Array;
  readonly signal: AbortSignal;
}

/** How thoroughly to probe. */
export interface Effort {
  readonly rounds: number;
  readonly contenders: number;
}

/** Whether the store honours conditional writes, also several at once. If not, `reason` tells what it did. */
export type ConditionalWrites =
  | { readonly kind: "honoured" }
  | { readonly kind: "broken"; readonly reason: string };

/** The least that detects a store which ignores conditions or decides them too early: 10 to 12 small requests. */
const leastEffort: Effort = { rounds: 1, contenders: 3 };

/**
 * Throws `store_unsupported` unless the store honours conditional writes (P11). Without them, two builders or two changes
 * of the token registry would silently undo each other. The probe is cheap enough to run before each build.
 */
export async function requireConditionalWrites(store: ObjectStore, options: ProbeOptions): Promise<void> {
  const result = await probeConditionalWrites(store, options);
  if (result.kind === "honoured") return;
  throw new Failure(
    "store_unsupported",
    `${store.address} cannot hold snapshots: ${result.reason} ${whatToDo}`,
  );
}

/** Probes with the least effort whether the store honours conditional writes, and deletes what it wrote. */
async function probeConditionalWrites(
  store: ObjectStore,
  { randomBytes, signal }: ProbeOptions,
): Promise<ConditionalWrites> {
  const objects = createProbeObjects(randomBytes(probeRandomBytes));
  try {
    const absent = await probePutIfAbsent(store, objects, leastEffort, signal);
    if (absent.kind === "broken") return absent;
    return await probePutIfMatch(store, objects, leastEffort, signal);
  } finally {
    // A generator's credentials need not include s3:DeleteObject. Without it, two small objects stay behind.
    await store.delete(objects.keys(), { signal }).catch(() => {});
  }
}

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

export const whatToDo =
  "Use a store that honours If-None-Match and If-Match on PutObject, and no proxy that drops these headers (see docs/s3.md).";

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
