import type { TenantRun } from "../../../schemas/generated/types.ts";
import { fieldLabel } from "../public-program/field-words.ts";

/** Programs of a kind that are shown; `--json` has them all. */
const maxShown = 20;

/** P147: what a build would do to a tenant, as its dry run says. Empty when that is nothing. */
export function plannedChanges({ tenantId, changes }: TenantRun): string {
  if (changes === undefined) return "";
  const { added, changed, removed, withdrawn } = changes;
  const changedIds = changed.map(({ programId }) => programId);
  const parts = [
    named("add", added),
    named(
      "change",
      changedIds,
      changed.map(({ programId, fields }) => fieldLine(programId, fields)),
    ),
    named("remove", removed),
    named("withdraw", withdrawn),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `${tenantId}: a build would\n${parts.join("")}`;
}

/** `lines`: one for each program, in place of a list of their ids. */
function named(what: string, ids: readonly string[], lines?: readonly string[]): string {
  if (ids.length === 0) return "";
  const more = ids.length - maxShown;
  const programs = ids.length === 1 ? "1 program" : `${ids.length} programs`;
  const head = `  ${what} ${programs}:`;
  if (lines !== undefined) {
    const rest = more > 0 ? `    and ${more} more (see --json)\n` : "";
    return `${head}\n${lines.slice(0, maxShown).join("")}${rest}`;
  }
  const rest = more > 0 ? `, and ${more} more (see --json)` : "";
  return `${head} ${ids.slice(0, maxShown).join(", ")}${rest}\n`;
}

function fieldLine(programId: string, fields: readonly string[]): string {
  // The words of a field in a list have room for a place, which is left out here.
  const labels = fields.map((field) => fieldLabel(field).replaceAll(" ,", ",").trim());
  return `    ${programId}: ${[...new Set(labels)].join("; ") || "everything"}\n`;
}
