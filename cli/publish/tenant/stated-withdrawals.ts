import { setTimeout as delay } from "node:timers/promises";
import { asFailure, type Failure, type FailureCode } from "../../../core/failure.ts";
import { readingFailure } from "../../database/source-client.ts";
import { countsOfKept } from "../content/program-counts.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import {
  type Attempt,
  type AttemptFacts,
  type Begun,
  type Live,
  type Superseded,
  superseded,
} from "./attempt.ts";
import { withdraw } from "./withdraw.ts";

/** How the reading of a tenant ended, and what was withdrawn beside it. */
export type WatchedReading<Result> =
  | {
      readonly kind: "read";
      readonly result: Result;
      readonly live: Live;
      /** The programs that this attempt has withdrawn so far. */
      readonly withdrawn: ReadonlySet<string>;
      readonly facts: AttemptFacts;
    }
  | { readonly kind: "failed"; readonly error: unknown; readonly facts: AttemptFacts }
  | Superseded;

/**
 * P130: a withdrawal needs only the ids and states of a tenant's programs. A second reading asks for them when the whole reading
 * fails, and repeatedly while it lasts, since a lock or a slow view may keep it waiting.
 */
export async function readWhileWithdrawing<Result>(
  { tenantId, context, pointer }: Begun,
  knowing: Promise<Attempt>,
  read: (rows: TenantRows) => Promise<Result>,
): Promise<WatchedReading<Result>> {
  let attempt: Attempt | undefined;
  knowing.then(
    (known) => {
      attempt = known;
    },
    () => {},
  );
  let liveSince: Live | undefined;
  let isReached = false;
  const withdrawn = new Set<string>();

  /** Withdraws what the source states as withdrawn. Returns why some states could not be read, if so. */
  async function withdrawStated(): Promise<Failure | undefined | "superseded"> {
    const known = await knowing;
    const live = liveSince ?? known.live;
    const { manifest } = live;
    if (manifest === undefined || manifest.programs.count === 0) return undefined;
    const stated = await context.withRows(tenantId, (rows) => rows.withdrawn(manifest.programs));
    const done = await withdraw(known, live, new Set(stated.programs));
    if (done === "superseded") return done;
    if (done !== undefined) liveSince = done.live;
    for (const id of stated.programs) withdrawn.add(id);
    return stated.unread && asFailure(readingFailure(stated.unread));
  }

  function factsNow(): AttemptFacts {
    const live = liveSince ?? attempt?.live;
    return {
      after: (live?.pointer ?? pointer)?.current,
      livePrograms: live?.manifest?.programs.count,
      isManifestUnreadable:
        attempt !== undefined && pointer !== undefined && attempt.live.manifest === undefined,
    };
  }

  const reading = context.withRows(tenantId, (rows) => {
    isReached = true;
    return read(rows);
  });
  try {
    for (let ms = context.statesAfterMs; !(await isSettledWithin(reading, ms)); ) {
      // A failure here is no harm: the next turn tries again, and so does the end of a failed reading.
      const outcome = await withdrawStated().catch(() => undefined);
      // This attempt can publish nothing any more, so the loop only waits for the end of the reading.
      if (outcome === "superseded") ms = undefined;
    }
    const result = await reading;
    const live = liveSince ?? (await knowing).live;
    return { kind: "read", result, live, withdrawn, facts: factsNow() };
  } catch (error) {
    const isOfSource = isReached && readingFailures.has(asFailure(error).code);
    if (context.signal.aborted || !isOfSource) return { kind: "failed", error, facts: factsNow() };
    const withdrawalFailure = await withdrawStated().catch(asFailure);
    if (withdrawalFailure === "superseded") return superseded;
    const facts = factsNow();
    const counts = countsOfKept(facts.livePrograms, { withdrawn: withdrawn.size });
    return { kind: "failed", error, facts: { ...facts, counts, withdrawalFailure } };
  }
}

/** How a reading fails because of the source. */
export const readingFailures: ReadonlySet<string> = new Set<FailureCode>([
  "internal",
  "source_contract",
  "source_unavailable",
  "tenant_too_large",
]);

/** Whether the reading ends within `ms` (`undefined`: at any time); throws what it throws. */
async function isSettledWithin(reading: Promise<unknown>, ms: number | undefined): Promise<boolean> {
  const settled = reading.then(() => true);
  if (ms === undefined) return await settled;
  const ended = new AbortController();
  try {
    return await Promise.race([settled, delay(ms, false, { signal: ended.signal })]);
  } finally {
    ended.abort();
  }
}
