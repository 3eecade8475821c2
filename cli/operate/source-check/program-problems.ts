import type { TenantId } from "../../../core/ids.ts";
import type { CheckedProgram } from "../../publish/content/checked-program.ts";
import type { ReadProgram } from "../../publish/source/read-programs.ts";
import type { FindingGroups } from "./finding-groups.ts";
import { problemPlace } from "./problem-place.ts";

/** Takes what a build would find in the programs of a tenant, in the order of their ids. */
export class ProgramProblems {
  readonly #groups: FindingGroups;
  readonly #tenantId: TenantId;
  #id: string | null = null;
  /** What the rows of this id have wrong so far. They are one program, so each finding of theirs counts once. */
  readonly #ofId = new Set<string>();

  constructor(groups: FindingGroups, tenantId: TenantId) {
    this.#groups = groups;
    this.#tenantId = tenantId;
  }

  /** Adds each finding with its place in the source. */
  add({ source, isDuplicate }: ReadProgram, outcome: CheckedProgram): void {
    if (outcome.kind === "unpublished") return;
    if (this.#id !== source.programId) this.#ofId.clear();
    this.#id = source.programId;
    for (const problem of outcome.problems) {
      const text = JSON.stringify(problem);
      if (isDuplicate && this.#id !== null && this.#ofId.has(text)) continue;
      this.#ofId.add(text);
      const { code, programId, field, value } = problem;
      const place = source.oversize ?? problemPlace(field);
      this.#groups.add(code, place, { tenantId: this.#tenantId, programId, value });
    }
  }
}
