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
