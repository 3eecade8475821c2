import { Failure } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import type { ProgramCounts } from "../../schemas/generated/types.ts";
import type { ProblemLog } from "./problem-log.ts";

/** P19: throws `invalid_program` when errors were found and they are to fail the build. */
export function guardInvalid(
  tenantId: TenantId,
  counts: ProgramCounts,
  problems: ProblemLog,
  onInvalid: "fail" | "skip",
): void {
  if (onInvalid === "skip" || counts.invalid === 0) return;
  const first = problems.kept[0];
  const example = first === undefined ? "" : `, the first: ${first.programId ?? "(no id)"} (${first.code})`;
  throw new Failure(
    "invalid_program",
    `${counts.invalid} program(s) of tenant ${tenantId} are invalid${example}. ` +
      "Correct them in the source, or leave them out with --on-invalid skip.",
  );
}

/**
 * P10: throws `shrink_guard` when the number of programs fell by more than half (and by at least 5), or to zero: more often
 * a fault of the source than a decision of the company. `before` is `undefined` when the live manifest cannot be read.
 */
export function guardShrink(tenantId: TenantId, before: number | undefined, after: number): void {
  if (before === undefined ? after > 0 : !isCollapse(before, after)) return;
  throw new Failure(
    "shrink_guard",
    `Tenant ${tenantId} would shrink from ${before ?? "an unknown number"} to ${after} programs. ` +
      "Look into the source; if this is right, build with --allow-shrink.",
  );
}

const minShrink = 5;

function isCollapse(before: number, after: number): boolean {
  return (before - after >= minShrink && after * 2 < before) || (before > 0 && after === 0);
}
