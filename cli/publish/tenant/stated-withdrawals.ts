import { asFailure, type FailureCode } from "../../../core/failure.ts";
import { readingFailure } from "../../database/reading-failure.ts";
import { countsOfKept } from "../content/program-counts.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import type { Attempt } from "./attempt.ts";
import { withdraw } from "./withdraw.ts";

/**
 * P130: a withdrawal needs the ids and states of a tenant's programs and nothing else. So they are asked for by themselves, in a
 * reading of their own, when the whole reading fails, and again and again while it lasts: a lock or a slow view may keep it waiting.
 */
export class StatedWithdrawals {
  /** The programs that this attempt has withdrawn so far. */
  readonly withdrawn = new Set<string>();
  readonly #known: Promise<Attempt>;
  #attempt: Attempt | undefined;
  #isReached = false;
  /** Why the last look did not find the states of all programs. */
  #unread: Error | undefined;

  /** `known`: the attempt as it begins. */
  constructor(known: Promise<Attempt>) {
    this.#known = known;
    known.catch(() => {});
  }

  /**
   * Reads the tenant. Throws what the reading throws, after withdrawing what is stated. `superseded`: another builder was faster.
   */
  async whileReading<Result>(
    { tenantId, context, options, record }: Omit<Attempt, "live" | "memory">,
    read: (rows: TenantRows) => Promise<Result>,
  ): Promise<Result | "superseded"> {
    const reading = context.withRows(tenantId, options.rules.limits, (rows) => {
      this.#isReached = true;
      return read(rows);
    });
    try {
      for (let ms = context.statesAfterMs; !(await isSettledWithin(reading, ms)); ) {
        // What fails here is tried again: by the next turn, or when the reading has failed.
        const outcome = await this.#publish().catch(() => "done" as const);
        // Nothing of this attempt can be published any more. The reading is left to end by itself.
        if (outcome === "superseded") ms = undefined;
      }
      return await reading;
    } catch (error) {
      if (context.signal.aborted || !this.#isReached || !readingFailures.has(asFailure(error).code))
        throw error;
      try {
        if ((await this.#publish()) === "superseded") return "superseded";
        record.withdrawalFailure = this.#unread && asFailure(readingFailure(this.#unread));
      } catch (further) {
        record.withdrawalFailure = asFailure(further);
      }
      record.counts = countsOfKept(record.livePrograms, { withdrawn: this.withdrawn.size });
      throw error;
    }
  }

  /** The pointer and the manifest that are live now, as far as this attempt knows. */
  liveNow(attempt: Attempt): Pick<Attempt, "pointer" | "live"> {
    const { pointer, live } = this.#attempt ?? attempt;
    return { pointer, live };
  }

  async #publish(): Promise<"done" | "superseded"> {
    const attempt = this.#attempt ?? (await this.#known);
    const { tenantId, context, options, live } = attempt;
    if (live === undefined || live.programs.count === 0) return "done";
    const stated = await context.withRows(tenantId, options.rules.limits, (rows) =>
      rows.withdrawn(live.programs),
    );
    this.#unread = stated.unread;
    const after = await withdraw(attempt, new Set(stated.programs));
    if (after === "superseded") return after;
    this.#attempt = after;
    for (const id of stated.programs) this.withdrawn.add(id);
    return "done";
  }
}

/** How a reading fails because of the source. */
export const readingFailures: ReadonlySet<string> = new Set<FailureCode>([
  "internal",
  "source_contract",
  "source_unavailable",
  "tenant_too_large",
]);

/** Whether the reading has ended by then; throws what it throws. `undefined`: waits for its end. */
async function isSettledWithin(reading: Promise<unknown>, ms: number | undefined): Promise<boolean> {
  const settled = reading.then(() => true);
  if (ms === undefined) return await settled;
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([settled, elapsed]);
  } finally {
    clearTimeout(timer);
  }
}
