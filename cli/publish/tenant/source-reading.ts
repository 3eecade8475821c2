import type { ProgramId } from "../../../core/ground/ids.ts";
import type { ProgramCounts, TenantChanges } from "../../../schemas/generated/types.ts";
import type { SnapshotContent } from "../content/snapshot-content.ts";
import { amountField, mostlyChanged, type ScaledAmounts, scaledPrograms } from "../guards/change-guard.ts";
import { type EmptiedField, emptiedProblems } from "../guards/field-guard.ts";
import { isMost } from "../guards/guards.ts";
import { type DataProblem, shownId } from "../public-program/problem.ts";
import { type Findings, ProblemLog } from "./build-report.ts";
import type { SourceChanges } from "./find-changes.ts";
import { lineText } from "./memory.ts";
import { factsOf, isPublished, type ProgramOutcome } from "./program-outcome.ts";
import type { TakenPrograms } from "./take-programs.ts";

/** What a reading of a tenant's source came to. */
export interface SourceReading {
  /** What became of each program, in the order of the ids: what the memory will know. */
  readonly outcomes: readonly ProgramOutcome[];
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
  /** P140, P143, P225: warnings about changes. They do not describe the source, so no memory has them. */
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
  const outcomes = taken.outcomes.length === 0 ? kept : sorted([...kept, ...taken.outcomes], sums);
  const { added, changed, tally, shown } = taken.comparison;
  const problems = new ProblemLog();
  const withdrawn = new Set<string>();
  const leftOut: (string | null)[] = [];
  let notPublishable = 0;
  for (const { programId: id, state, problems: found } of outcomes) {
    if (state === "unpublished") notPublishable += 1;
    if (state === "unpublished" && id !== null && live?.programs.has(id)) withdrawn.add(id);
    if (state === "invalid") leftOut.push(id);
    for (const problem of found) problems.add(problem);
  }
  // D36
  for (const { view, programs, firstProgramId: programId } of strays) {
    const value = `${view}: ${programs} such program id(s), the first: ${shownId(programId)}`;
    problems.add({ code: "rows_of_unknown_program", programId, field: null, value });
  }
  const published = kept.filter(isPublished);
  const programs = published.length + taken.listed.size;
  const staying = programs - added.size;
  const counts = {
    programs,
    added: added.size,
    changed: changed.length,
    removed: (live?.programs.count ?? 0) - staying,
    unchanged: staying - changed.length,
    notPublishable,
    invalid: leftOut.length,
    withdrawn: withdrawn.size,
  };
  const scaling = scaledPrograms(shown);
  if (tally.hasLosses || scaling !== undefined)
    for (const outcome of published) tally.addUnchanged(factsOf(outcome).parts);
  const { emptiedFields } = tally;
  return {
    outcomes,
    counts,
    leftOut,
    withdrawn,
    areListsAnew,
    emptiedFields,
    scaled: scaling && mostlyScaled(scaling, taken.comparison),
    findings: problems.findings,
    added,
    changed,
    changeProblems: [
      ...emptiedProblems(emptiedFields),
      ...tally.capacityProblems(staying),
      ...mostlyChanged(shown, staying),
    ],
    isSame: live !== undefined && added.size + changed.length + counts.removed === 0,
    *publishedIds() {
      for (const outcome of outcomes) if (isPublished(outcome)) yield outcome.programId ?? "";
    },
  };
}

/** P226: of the programs that have an amount before and after. */
function mostlyScaled(
  scaling: Omit<ScaledAmounts, "of">,
  { tally, shown }: TakenPrograms["comparison"],
): ScaledAmounts | undefined {
  const lost = shown.filter(
    ({ before, after }) => before[amountField] !== null && after[amountField] === null,
  );
  const of = tally.filledNow(amountField) - lost.length;
  return isMost(scaling.programs, of) ? { ...scaling, of } : undefined;
}

function sorted(outcomes: ProgramOutcome[], sums: SourceChanges["sums"]): readonly ProgramOutcome[] {
  const places = new Map<string | null, number>();
  for (const id of sums.keys()) places.set(id, places.size);
  const placeOf = ({ programId }: ProgramOutcome): number => places.get(programId) ?? places.size;
  // Several programs may have no id.
  const isBehind = (a: ProgramOutcome, b: ProgramOutcome): boolean => lineText(a) > lineText(b);
  return outcomes.sort((a, b) => placeOf(a) - placeOf(b) || (isBehind(a, b) ? 1 : -1));
}

/** P147: what the build would change for partners. A blocked build only takes out what is withdrawn. */
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
