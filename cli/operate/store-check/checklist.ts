import { asFailure, type FailureCode } from "../../../core/failure.ts";

/** What `store check` looks at, in this order, and what people read for it. */
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
 * `unsupported`: the store will never do it, so no snapshot may live there. `warning`: it works, but not as well.
 * `skipped`: nothing to look at after an earlier failure.
 */
export type StoreCheckOutcome = "ok" | "warning" | "failed" | "unsupported" | "skipped";

export interface StoreFinding {
  readonly check: StoreCheckName;
  readonly outcome: StoreCheckOutcome;
  /** What was found and, unless all is well, what to do about it: a grant, a setting, another store. */
  readonly message: string;
}

/** Whether everything that was looked at works. */
export function isFit(findings: readonly StoreFinding[]): boolean {
  return findings.every(({ outcome }) => outcome === "ok" || outcome === "warning");
}

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
