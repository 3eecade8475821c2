import type { CheckResult } from "./checklist.ts";

/** S3 refuses requests whose signature is older or newer than this. */
const refusedMs = 15 * 60 * 1000;
/** Below this a difference harms nothing: no age that the tools compare is as short. */
const harmlessMs = 30 * 1000;
/** S3 gives times in whole seconds. */
const precisionMs = 1000;

/** Compares the store's time of a write with this machine's times before and after it. */
export function clockResult(storedAt: Date, startedAt: Date, endedAt: Date): CheckResult {
  const aheadMs = Math.max(0, storedAt.getTime() - endedAt.getTime());
  const behindMs = Math.max(0, startedAt.getTime() - (storedAt.getTime() + precisionMs));
  const offMs = Math.max(aheadMs, behindMs);
  if (offMs <= harmlessMs) return ["ok", "The store's clock and this machine's agree."];
  const seconds = Math.round(offMs / 1000);
  const difference = `The store's clock is ${seconds} s ${aheadMs > 0 ? "ahead of" : "behind"} this machine's.`;
  const advice = "Synchronise the one that is wrong (NTP).";
  return offMs > refusedMs
    ? ["failed", `${difference} S3 refuses what is signed more than 15 minutes off. ${advice}`]
    : [
        "warning",
        `${difference} Ages of snapshots, and what a prune may delete, are off by as much. ${advice}`,
      ];
}
