import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { CheckResult } from "./checklist.ts";

/** S3 refuses requests whose signature is older or newer than this. */
const refusedMs = 15 * 60 * 1000;
/** A smaller difference is harmless, because the commands compare no ages as short as this. */
const harmlessMs = 30 * 1000;
/** S3 tells times in whole seconds. */
const precisionMs = 1000;

/** Compares the store's time of a write with this machine's times before and after the write. */
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

/** Whether a `file:` store is closed to other accounts and holds no symbolic links, which no program would follow. */
export async function folderResult(directory: string): Promise<CheckResult> {
  const links = (await readdir(directory, { withFileTypes: true }))
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => join(directory, name));
  if (links.length > 0) {
    const text = `${links.join(" and ")}: a symbolic link below the store's folder is never followed.`;
    return ["failed", `${text} Remove it, or put what it points at in its place.`];
  }
  if (((await stat(directory)).mode & othersMode) !== 0) {
    return [
      "warning",
      `Every account of this machine may look into ${directory}. Run: chmod -R o= '${directory}' (a gateway under another account needs the folder's group then).`,
    ];
  }
  return ["ok", "For its owner and its group only, without links."];
}

const othersMode = 0o007;
