import { asFailure, type FailureCode } from "../../../core/ground/failure.ts";

/** The checks of `store check` in their order, with the words that people read. */
export const storeChecks = {
  list: "list",
  missing: "tell what is missing",
  write: "write",
  read: "read",
  revalidate: "revalidate",
  list_after_write: "list what is new",
  put_if_absent: "put if absent",
  put_if_match: "put if unchanged",
  clock: "agree on the time",
  delete: "delete",
  identity: "say which it is",
  folder: "keep to itself",
} as const satisfies Readonly<Record<string, string>>;

export type StoreCheckName = keyof typeof storeChecks;

/**
 * `unsupported`: the store can never do it, so it cannot hold snapshots. `warning`: it works, but with a
 * drawback. `skipped`: an earlier failure left nothing to check.
 */
export type StoreCheckOutcome = "ok" | "warning" | "failed" | "unsupported" | "skipped";

export interface StoreFinding {
  readonly check: StoreCheckName;
  readonly outcome: StoreCheckOutcome;
  /** What was found. When something is wrong, also what to do: a grant, a setting, another store. */
  readonly message: string;
}

export type CheckResult = readonly [outcome: StoreCheckOutcome, message: string];

/** Runs checks one after the other and collects their findings. */
export class Checklist {
  readonly findings: StoreFinding[] = [];
  /** Whether the store has not answered. Further checks would only wait for their deadlines. */
  isAway = false;

  /** Runs a check, or skips it when `canRun` is false. Returns whether other checks may build on it. */
  async run(check: StoreCheckName, canRun: boolean, examine: () => Promise<CheckResult>): Promise<boolean> {
    const [outcome, message] = canRun ? await examine().catch((error) => this.#faultOf(error)) : skipped;
    this.findings.push({ check, outcome, message });
    return outcome === "ok" || outcome === "warning";
  }

  #faultOf(error: unknown): CheckResult {
    const failure = asFailure(error);
    if (notOfTheStore.includes(failure.code)) throw failure;
    this.isAway ||= failure.code === "store_unavailable";
    return [failure.code === "store_unsupported" ? "unsupported" : "failed", failure.message];
  }
}

const skipped: CheckResult = ["skipped", "Not looked at after what failed before."];

/** These faults end the command, because they tell nothing about the store. */
const notOfTheStore: readonly FailureCode[] = ["usage", "settings", "interrupted", "internal"];
