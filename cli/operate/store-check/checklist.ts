import { asFailure, type FailureCode } from "../../../core/failure.ts";
import type { StoreCheckName, StoreCheckOutcome, StoreFinding } from "./store-finding.ts";

/** What a check came to, and what to say of it. */
export type CheckResult = readonly [outcome: StoreCheckOutcome, message: string];

/** Runs checks one after the other and keeps what they find. */
export interface Checklist {
  readonly findings: readonly StoreFinding[];
  /** True when further checks may build upon this one. Without `canRun` it is skipped. */
  run(check: StoreCheckName, canRun: boolean, look: () => Promise<CheckResult>): Promise<boolean>;
  /** Whether the store did not answer: every further check would only wait for its deadline. */
  isAway(): boolean;
}

export function createChecklist(): Checklist {
  const findings: StoreFinding[] = [];
  let away = false;

  async function resultOf(look: () => Promise<CheckResult>): Promise<CheckResult> {
    try {
      return await look();
    } catch (error) {
      const failure = asFailure(error);
      if (notOfTheStore.has(failure.code)) throw failure;
      away ||= failure.code === "store_unavailable";
      return [failure.code === "store_unsupported" ? "unsupported" : "failed", failure.message];
    }
  }

  return {
    findings,
    isAway: () => away,
    async run(check, canRun, look) {
      const [outcome, message] = canRun ? await resultOf(look) : skipped;
      findings.push({ check, outcome, message });
      return outcome === "ok" || outcome === "warning";
    },
  };
}

const skipped: CheckResult = ["skipped", "Not looked at after what failed before."];

/** Faults that end the command: they say nothing about what the store can do. */
const notOfTheStore: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "usage",
  "settings",
  "interrupted",
  "internal",
]);
