import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";

/**
 * Whether a run's report is news: a report per minute that says nothing would hide those that matter. The first quiet run is
 * news, too, since it says that the trouble is over.
 */
export function createNews(): (report: RunReport) => boolean {
  /** Tenants whose last run did something or failed. */
  const stirred = new Set<string>();
  let wasLastRoundNews = true;

  return (report) => {
    const isRound = report.options.tenants === null;
    const isCalm = report.outcome === "unchanged";
    const isNews =
      !isCalm ||
      (isRound && wasLastRoundNews) ||
      report.tenants.some(({ tenantId }) => stirred.has(tenantId));
    if (isRound) wasLastRoundNews = !isCalm;
    for (const { tenantId, outcome } of report.tenants) {
      if (quiet.has(outcome)) stirred.delete(tenantId);
      else stirred.add(tenantId);
    }
    return isNews && report.outcome !== "interrupted";
  };
}

const quiet: ReadonlySet<string> = new Set(["unchanged", "elsewhere", "held"]);

/**
 * Whether rounds of all get through, so that a supervisor can restart a watch that is stuck. A watch is ready when a round has got
 * through within the last three intervals and twice the length of that round.
 */
export class RoundHealth {
  readonly #intervalMs: number;
  #why = "";
  #last: { readonly endedMs: number; readonly tookMs: number } | undefined;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  /** `failureCode`: why the round failed as a whole; `undefined` when it got through, also when single tenants failed. */
  roundEnded(nowMs: number, tookMs: number, failureCode: string | undefined): void {
    this.#why = failureCode === undefined ? "" : `; the last one failed: ${failureCode}`;
    if (failureCode === undefined) this.#last = { endedMs: nowMs, tookMs };
  }

  /** Why it is not ready; `undefined` while it is. */
  notReadyCause(nowMs: number): string | undefined {
    if (this.#last === undefined) return `no round of all tenants has got through yet${this.#why}`;
    const ageMs = nowMs - this.#last.endedMs;
    if (ageMs <= 3 * this.#intervalMs + 2 * this.#last.tookMs) return undefined;
    return `the last round of all tenants that got through ended ${Math.round(ageMs / 1000)} s ago${this.#why}`;
  }
}

/** When each tenant's live snapshot was last found to be what the source says, as far as this process knows. */
export class ConfirmedTenants {
  /** Milliseconds since 1970, for each tenant of the source. */
  readonly atMs = new Map<string, number>();

  /** To be called when a tenant's build has just ended. */
  note({ tenantId, confirmedAt = null }: TenantRun): void {
    if (confirmedAt !== null) this.atMs.set(tenantId, Date.parse(confirmedAt));
  }

  /** Forgets the tenants that a round of all did not find in the source. */
  keepOnly(round: RunReport): void {
    const listed = new Set(round.tenants.map(({ tenantId }) => tenantId));
    for (const tenantId of this.atMs.keys()) if (!listed.has(tenantId)) this.atMs.delete(tenantId);
  }
}
