import { Failure } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import type { Problem, ProgramCounts } from "../../../schemas/generated/types.ts";
import { shownId } from "../public-program/problem.ts";

/** What a program with an error does: it is left out and reported with status 3 or 0, or fails its tenant. */
export type OnInvalid = "report" | "skip" | "fail";

/** P19: why the programs with an error keep the build from publishing, if they do. */
export function invalidRefusal(
  tenantId: TenantId,
  counts: ProgramCounts,
  first: Pick<Problem, "programId" | "code"> | undefined,
  onInvalid: OnInvalid,
): Failure | undefined {
  if (onInvalid !== "fail" || counts.invalid === 0) return undefined;
  const id = first?.programId == null ? "(no id)" : shownId(first.programId);
  const example = first === undefined ? "" : `, the first: ${id} (${first.code})`;
  return new Failure(
    "invalid_program",
    `${counts.invalid} program(s) of tenant ${tenantId} are invalid${example}. ` +
      "Correct them in the source, or leave them out with --on-invalid report.",
  );
}

/** Fewer programs tell too little. */
export const minPrograms = 5;

/** Whether `count` programs are most of `of`, and enough to be no chance. */
export function isMost(count: number, of: number): boolean {
  return count >= minPrograms && count * 2 > of;
}

/**
 * P10: refuses to replace a live snapshot of `before` programs (`undefined`: unknown) when many are lost. A
 * program without a row, or with an error, is lost; then the source is more often at fault than the company
 * has decided so. A program whose rows state that it is not to be published is withdrawn, which is a
 * decision. New programs do not make up for lost ones.
 */
export function shrinkRefusal(
  tenantId: TenantId,
  before: number | undefined,
  counts: ProgramCounts,
): Failure | undefined {
  const { programs, removed, withdrawn, notPublishable, invalid } = counts;
  const lost = removed - (withdrawn ?? 0);
  const isCollapse =
    before === undefined
      ? programs === 0 && (notPublishable === 0 || invalid > 0)
      : isMost(lost, before) || (lost > 0 && programs === 0);
  if (!isCollapse) return undefined;
  const [of, gone] = before === undefined ? ["unknown number of", "all"] : [before, lost];
  return new Failure(
    "shrink_guard",
    `Of the ${of} programs of tenant ${tenantId}, ${gone} are gone from the source or faulty now. ` +
      "Look into the source; if this is right, build with --allow-shrink.",
  );
}
