import { type Confirmation, type Confirmations, readConfirmations } from "../../core/confirmations.ts";
import { asFailure } from "../../core/failure.ts";
import { confirmedKey } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { LastRun } from "./run-history.ts";

/** What the builds wrote down of when they confirmed and tried each tenant; nothing when that cannot be read, and why. */
export async function readConfirmed(
  store: ObjectStore,
  signal: AbortSignal,
): Promise<{ readonly confirmations: Confirmations; readonly faults: readonly string[] }> {
  try {
    const found = await store.get(confirmedKey, { signal });
    if (found.kind !== "object") return { confirmations: new Map(), faults: [] };
    return { confirmations: await readConfirmations(found.body), faults: [] };
  } catch (error) {
    if (signal.aborted) throw error;
    return { confirmations: new Map(), faults: [asFailure(error).message] };
  }
}

/** How the last build of a tenant ended, and when. */
export interface LastTry {
  readonly outcome: string;
  readonly triedAt: string;
}

/**
 * The later of what the newest report and the confirmations say: `snapshot watch` stores no report of a run that found
 * nothing new again, and a run that failed as a whole tried no single tenant.
 */
export function lastTry(lastRun: LastRun | null, confirmation: Confirmation | undefined): LastTry | null {
  const reported = lastRun && { outcome: lastRun.outcome, triedAt: lastRun.finishedAt };
  if (confirmation === undefined) return reported;
  const { outcome, triedAt } = confirmation;
  const isLater = reported === null || Date.parse(triedAt) > Date.parse(reported.triedAt);
  return isLater ? { outcome, triedAt } : reported;
}
