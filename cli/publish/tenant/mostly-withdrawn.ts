import type { Manifest } from "../../../core/manifest.ts";
import type { MostlyWithdrawn } from "../../../schemas/generated/types.ts";
import { lastDay } from "../content/lists.ts";
import { isMost, minPrograms } from "../guards/guards.ts";
import type { Attempt } from "./build-context.ts";
import { note, type RunDraft } from "./build-report.ts";
import { liveListed } from "./find-changes.ts";

/**
 * P227: how many of the live programs are withdrawn, if they are most. Those whose last day is past are not counted on either side,
 * since a season's programs may end over night. The live list has the dates; if it is damaged, all programs count.
 */
export async function mostlyWithdrawn(
  attempt: Attempt,
  live: Manifest | undefined,
  withdrawn: ReadonlySet<string>,
  added: number,
): Promise<MostlyWithdrawn | undefined> {
  if (live === undefined || withdrawn.size < minPrograms) return undefined;
  const listed = await liveListed(attempt, live);
  const today = attempt.readAt.toISOString().slice(0, 10);
  const isPast = (programId: string): boolean => {
    const program = listed?.get(programId);
    return program !== undefined && (lastDay(program) ?? today) < today;
  };
  const gone = [...withdrawn].filter((programId) => !isPast(programId)).length;
  if (gone < minPrograms) return undefined;
  const of = [...live.programs.ids()].filter((programId) => !isPast(programId)).length;
  return isMost(gone, of) ? { withdrawn: gone, of, added } : undefined;
}

export function noteMostlyWithdrawn(run: RunDraft, found: MostlyWithdrawn | undefined): void {
  if (found === undefined) return;
  run.mostlyWithdrawn = found;
  const value = `${found.withdrawn} of ${found.of} program(s) withdrawn; ${found.added} added`;
  note(run, { code: "mostly_withdrawn", programId: null, field: null, value });
}
