import { asFailure, Failure } from "../../../core/failure.ts";
import type { ObjectKey } from "../../../core/object-key.ts";
import type { ETag, ObjectStore, PutCondition } from "../../../core/object-store.ts";
import {
  type ProbeObjects,
  probeBody,
  probeText,
  readProbe,
  whatToDo,
} from "../../shell/identified-store.ts";
import type { CheckResult } from "./checklist.ts";

/** So many races catch a store that decides conditions too early. They take 90 small requests. */
const rounds = 5;
const contenders = 8;

/** Whether exactly one of several simultaneous puts is stored. Rounds of `match` build on the winner of the last one. */
export async function raceConditions(
  store: ObjectStore,
  objects: ProbeObjects,
  kind: PutCondition["kind"],
  signal: AbortSignal,
): Promise<CheckResult> {
  /**
   * Puts different bodies under one key at once, then reads the key, since answers may get lost, and some stores answer losers with
   * 500. Returns the tag of the only body that was stored, or how many were stored. `name` distinguishes the bodies of this race from
   * those of others. Throws the failure of a put when the store was away for all of them.
   */
  async function race(key: ObjectKey, condition: PutCondition, name: string): Promise<ETag | number> {
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
    if (stored > 1) return stored;
    const found = await readProbe(store, key, signal);
    const winner = names.findIndex((each) => probeText(each) === found?.text);
    if (found === undefined || winner === -1) {
      const [failure] = failures;
      if (failure !== undefined) throw failure;
      return 0;
    }
    // The key holds the body of a put that was refused, so it has overwritten the one that was accepted.
    return stored === 1 && answers[winner] !== "stored" ? 2 : found.etag;
  }

  let etag: ETag | undefined;
  if (kind === "match") {
    const first = await store.put(objects.key("match.json"), probeBody("match"), { signal });
    if (first.kind !== "stored") {
      return ["unsupported", `${store.address}: a put without a condition was refused for its condition.`];
    }
    etag = first.etag;
  }
  for (let round = 0; round < rounds; round += 1) {
    const key = objects.key(etag === undefined ? `absent-${round}.json` : "match.json");
    const condition: PutCondition = etag === undefined ? { kind: "absent" } : { kind: "match", etag };
    const winner = await race(key, condition, `${kind}-${round}`);
    if (typeof winner === "number") return broken(kind, winner);
    if (etag !== undefined) etag = winner;
  }
  return sound;
}

const sound: CheckResult = ["ok", `${rounds} races of ${contenders}, each with one winner.`];

function broken(kind: PutCondition["kind"], stored: number): CheckResult {
  const header = kind === "absent" ? "If-None-Match: *" : "If-Match";
  const what =
    stored === 0
      ? "none was stored, though the condition held"
      : `${stored} were stored, where only one may be`;
  return ["unsupported", `Of ${contenders} puts at once with ${header} ${what}. ${whatToDo}`];
}
