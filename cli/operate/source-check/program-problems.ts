import type { TenantId } from "../../../core/ids.ts";
import type { CheckedProgram } from "../../publish/content/checked-program.ts";
import type { ReadProgram } from "../../publish/source/read-programs.ts";
import type { FindingGroups } from "./finding-groups.ts";
import { problemPlace } from "./problem-place.ts";

/** Adds what a build would find in a program, each finding with its place in the source. */
export function addProgramProblems(
  groups: FindingGroups,
  tenantId: TenantId,
  read: ReadProgram,
  outcome: CheckedProgram,
): void {
  if (outcome.kind === "unpublished") return;
  for (const { code, programId, field, value } of outcome.problems) {
    const place = read.source.oversize ?? problemPlace(field);
    groups.add(code, place, { tenantId, programId, value });
  }
}
