import type { ProgramId } from "../../../core/ids.ts";
import type { ProgramCounts, TenantChanges } from "../../../schemas/generated/types.ts";
import type { SnapshotContent } from "../content/snapshot-content.ts";
import { amountField, mostlyChanged, type ScaledAmounts, scaledPrograms } from "../guards/change-guard.ts";
import { type EmptiedField, emptiedProblems } from "../guards/field-guard.ts";
import { isMost } from "../guards/guards.ts";
import { type DataProblem, shownId } from "../public-program/problem.ts";
import { type Findings, noPrograms, ProblemLog } from "./build-report.ts";
import type { SourceChanges } from "./find-changes.ts";
import { factsOf, findingsOf, isPublished, type ProgramLine } from "./memory.ts";
import type { TakenPrograms } from "./take-programs.ts";

/** What a reading of a tenant's source came to. */
export interface SourceReading {
  /** What became of each program, in the order of the ids: what the memory will know. */
  readonly lines: readonly ProgramLine[];
  readonly counts: ProgramCounts;
  readonly findings: Findings;
  /** Programs with an error, as the source writes their ids; `null`: one without an id. */
  readonly leftOut: readonly (string | null)[];
  /** P20: programs of the live snapshot all of whose rows state that they are not to be published. */
  readonly withdrawn: ReadonlySet<string>;
  /** P144: the programs that the live snapshot does not have, and their names. */
  readonly added: ReadonlyMap<ProgramId, string>;
  readonly changed: readonly ProgramId[];
  /** P140: what the build empties for most programs that had it. */
  readonly emptiedFields: readonly EmptiedField[];
  /** P226: set when the amounts of most programs would have another scale. */
  readonly scaled: ScaledAmounts | undefined;
  /** P140, P143, P225: warnings about what changes. They do not describe the source as it is, so no memory keeps them. */
  readonly changeProblems: readonly DataProblem[];
  /** Whether the programs are those of the live snapshot, to the byte. */
  readonly isSame: boolean;
  /** The live lists are not taken over, even if they have the same bytes. */
  readonly areListsAnew: boolean;
  /** What would be published. `undefined` when that is live already, or when the tenant is on hold. */
  readonly content: SnapshotContent | undefined;
  publishedIds(): Iterable<string>;
}

/** Counts what was taken over and what was read. */
export function sourceReading(changes: SourceChanges, taken: TakenPrograms): Omit<SourceReading, "content"> {
  const { live, kept, sums, strays, areListsAnew } = changes;
  // The kept ones are in order.
  const lines = taken.lines.length === 0 ? kept : sortedLines([...kept, ...taken.lines], sums);
  const problems = new ProblemLog();
  const withdrawn = new Set<string>();
  const leftOut: (string | null)[] = [];
  let notPublishable = 0;
  for (const line of lines) {
    const [id, , state] = line;
    if (state === "unpublished") notPublishable += 1;
    if (state === "unpublished" && id !== null && live?.programs.has(id)) withdrawn.add(id);
    if (state === "invalid") leftOut.push(id);
    for (const problem of findingsOf(line)) problems.add(problem);
  }
  // D36
  for (const { view, programs, firstProgramId: programId } of strays) {
    const value = `${view}: ${programs} such program id(s), the first: ${shownId(programId)}`;
    problems.add({ code: "rows_of_unknown_program", programId, field: null, value });
  }
  const published = kept.filter(isPublished);
  const [added, changed] = [taken.added.size, taken.changed.length];
  const unchanged = published.length + taken.programs.size - added - changed;
  const counts = {
    ...noPrograms,
    ...{ programs: unchanged + changed + added, added, changed, unchanged },
    removed: (live?.programs.count ?? 0) - unchanged - changed,
    ...{ notPublishable, invalid: leftOut.length, withdrawn: withdrawn.size },
  };
  const scaling = scaledPrograms(taken.shown);
  if (taken.tally.hasLosses || scaling !== undefined)
    for (const line of published) taken.tally.addUnchanged(factsOf(line).parts);
  const { emptiedFields } = taken.tally;
  const amountsLost = taken.shown.filter(
    ({ before, after }) => before[amountField] !== null && after[amountField] === null,
  ).length;
  const of = taken.tally.filledNow(amountField) - amountsLost;
  const ofCapacity = taken.tally.capacityProblems(unchanged + changed);
  return {
    ...{ lines, counts, leftOut, withdrawn, areListsAnew, emptiedFields },
    scaled: scaling !== undefined && isMost(scaling.programs, of) ? { ...scaling, of } : undefined,
    findings: problems.findings,
    added: taken.added,
    changed: taken.changed,
    changeProblems: [
      ...emptiedProblems(emptiedFields),
      ...ofCapacity,
      ...mostlyChanged(taken.shown, unchanged + changed),
    ],
    isSame: live !== undefined && added + changed + counts.removed === 0,
    *publishedIds() {
      for (const line of lines) if (isPublished(line)) yield line[0] ?? "";
    },
  };
}

function sortedLines(lines: ProgramLine[], sums: SourceChanges["sums"]): readonly ProgramLine[] {
  const places = new Map<string | null, number>();
  for (const id of sums.keys()) places.set(id, places.size);
  const placeOf = ([id]: ProgramLine): number => places.get(id) ?? places.size;
  // Several programs may have no id.
  const isBehind = (a: ProgramLine, b: ProgramLine): boolean => JSON.stringify(a) > JSON.stringify(b);
  return lines.sort((a, b) => placeOf(a) - placeOf(b) || (isBehind(a, b) ? 1 : -1));
}

/** P147: what the build would change for partners. A build that may not publish changes only what is withdrawn. */
export function partnerChanges(
  reading: SourceReading,
  live: SourceChanges["live"],
  isBlocked: boolean,
): TenantChanges {
  const withdrawn = [...reading.withdrawn].sort();
  if (isBlocked) return { added: [], changed: [], removed: [], withdrawn };
  const stay = new Set([...reading.publishedIds(), ...withdrawn]);
  const removed = [...(live?.programs.ids() ?? [])].filter((id) => !stay.has(id));
  return { added: [...reading.added.keys()], changed: [...reading.changed], removed, withdrawn };
}
