import type { RunReport, TenantRun } from "../../../schemas/generated/types.ts";

/**
 * Tells whether a run's report is news. A report per minute that says nothing would hide those that matter. The first quiet run
 * after another is news, too, because it says that the trouble is over.
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

/** Whether rounds of all get through. A supervisor restarts a watch that is stuck. */
export interface RoundHealth {
  /** `failureCode`: why the round failed as a whole; `undefined` when it got through, also when single tenants failed. */
  roundEnded(nowMs: number, tookMs: number, failureCode: string | undefined): void;
  /** Why it is not ready; `undefined` while it is. */
  notReadyCause(nowMs: number): string | undefined;
}

/**
 * A watch is ready when a round has got through within the last three intervals. Twice the length of that round is added, for rounds
 * that take longer than the interval.
 */
export function createRoundHealth(intervalMs: number): RoundHealth {
  let why = "";
  let last: { readonly endedMs: number; readonly tookMs: number } | undefined;
  return {
    roundEnded(nowMs, tookMs, failureCode) {
      why = failureCode === undefined ? "" : `; the last one failed: ${failureCode}`;
      if (failureCode === undefined) last = { endedMs: nowMs, tookMs };
    },
    notReadyCause(nowMs) {
      if (last === undefined) return `no round of all tenants has got through yet${why}`;
      const ageMs = nowMs - last.endedMs;
      if (ageMs <= 3 * intervalMs + 2 * last.tookMs) return undefined;
      return `the last round of all tenants that got through ended ${Math.round(ageMs / 1000)} s ago${why}`;
    },
  };
}

/** When each tenant's live snapshot was last found to be what the source says, as far as this process knows. */
export interface ConfirmedTenants {
  /** Milliseconds since 1970, for each tenant of the source. */
  readonly atMs: ReadonlyMap<string, number>;
  /** To be called when a tenant's build has just ended. */
  note(run: TenantRun): void;
  /** Forgets the tenants that a round of all did not find in the source. */
  keepOnly(round: RunReport): void;
}

export function createConfirmedTenants(): ConfirmedTenants {
  const atMs = new Map<string, number>();
  return {
    atMs,
    note({ tenantId, confirmedAt = null }) {
      if (confirmedAt !== null) atMs.set(tenantId, Date.parse(confirmedAt));
    },
    keepOnly(round) {
      const listed = new Set(round.tenants.map(({ tenantId }) => tenantId));
      for (const tenantId of atMs.keys()) if (!listed.has(tenantId)) atMs.delete(tenantId);
    },
  };
}
