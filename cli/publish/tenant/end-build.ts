import type { Manifest } from "../../../core/documents/manifest.ts";
import { asFailure, Failure } from "../../../core/ground/failure.ts";
import type { SnapshotId } from "../../../core/ground/ids.ts";
import type { MostlyWithdrawn, ProgramCounts, TenantRun } from "../../../schemas/generated/types.ts";
import { lastDay } from "../content/lists.ts";
import { scaleRefusal } from "../guards/change-guard.ts";
import { emptiedRefusal } from "../guards/field-guard.ts";
import { invalidRefusal, isMost, minPrograms, shrinkRefusal } from "../guards/guards.ts";
import type { LiveSnapshot } from "../snapshot/stored-snapshot.ts";
import type { BuildAttempt } from "./build-context.ts";
import { countsOfKept, note, noteCode, noteLive, type RunDraft } from "./build-report.ts";
import { liveListed, type StoredState } from "./find-changes.ts";
import { writeMemory } from "./memory.ts";
import type { ProgramOutcome } from "./program-outcome.ts";
import { publishNext, withdraw } from "./publish.ts";
import type { ResponseWriter } from "./response-writer.ts";
import { partnerChanges, type SourceReading } from "./source-reading.ts";

/** Publishes what was read, unless it is live already or something blocks it. */
export async function endAsRead(
  attempt: BuildAttempt,
  stored: StoredState,
  reading: SourceReading,
  writer: ResponseWriter,
): Promise<TenantRun["outcome"] | "superseded"> {
  const { options, pointer, isHeld, readAt, run } = attempt;
  const { counts, leftOut, findings, withdrawn } = reading;
  Object.assign(run, { counts, leftOut, ...findings });
  const live = pointer && { current: pointer.current, manifest: stored.live };
  if (live !== undefined) noteLive(run, live);
  noteUnreadable(attempt, stored);
  const refusal = isHeld ? undefined : await refusalOf(attempt, stored, reading);
  const isBlocked = isHeld || refusal !== undefined;
  if (options.dryRun) run.changes = partnerChanges(reading, stored.live, isBlocked);
  if (isBlocked) {
    await writer.settled();
    const outcome = await endWithdrawing(attempt, stored, withdrawn, counts);
    if (outcome !== "superseded" && refusal !== undefined) throw refusal;
    return outcome;
  }
  const most = await mostlyWithdrawn(attempt, stored.live, withdrawn, counts.added);
  for (const problem of reading.changeProblems) note(run, problem);
  const published = await publishNext(attempt, stored.live, reading, writer).catch(async (error: unknown) => {
    // P20: a snapshot that is too large as a whole keeps no withdrawal back.
    if (asFailure(error).code !== "tenant_too_large") throw error;
    const outcome = await endWithdrawing(attempt, stored, withdrawn, counts);
    if (outcome === "superseded") return outcome;
    throw error;
  });
  if (published === "superseded") return published;
  noteMostlyWithdrawn(run, most);
  if (published === "would-publish") return published;
  const after = published === "unchanged" ? live : published;
  // A dry run confirms nothing, because readers of the store see nothing of it.
  if (options.dryRun || after === undefined) return "unchanged";
  run.confirmedAt = readAt.toISOString();
  noteLive(run, after);
  const mayHaveLiveTree = await keepLiveTree(attempt, stored, after);
  const { outcomes } = reading;
  await remember(attempt, stored, after.current.snapshotId, outcomes, mayHaveLiveTree);
  const isPublishedNow = published !== "unchanged";
  if (after.manifest) attempt.context.onEnded?.({ manifest: after.manifest, isPublishedNow, outcomes });
  return isPublishedNow ? "published" : "unchanged";
}

/** Why a guard keeps the build from publishing, if one does. */
async function refusalOf(
  { tenantId, options, pointer, context, run }: BuildAttempt,
  { live }: StoredState,
  { counts, emptiedFields, scaled, added }: SourceReading,
): Promise<Failure | undefined> {
  const isLive = pointer !== undefined;
  const refusal =
    invalidRefusal(tenantId, counts, run.problems[0], options.onInvalid) ??
    (options.allowShrink || !isLive ? undefined : shrinkRefusal(tenantId, live?.programs.count, counts)) ??
    (options.allowEmptied ? undefined : emptiedRefusal(tenantId, emptiedFields)) ??
    (options.allowScaled ? undefined : scaleRefusal(tenantId, scaled));
  if (refusal !== undefined) return refusal;
  const shared = await context.sharedGuard?.({ tenantId, added, isLive }, options.allowShared);
  if (shared instanceof Failure) return shared;
  if (shared !== undefined) note(run, shared);
  return undefined;
}

/** P20: publishes the live content without these programs: all that a blocked or failed build changes. */
export async function endWithdrawing(
  attempt: BuildAttempt,
  stored: StoredState,
  withdrawn: ReadonlySet<string>,
  found: Partial<ProgramCounts>,
): Promise<"held" | "superseded"> {
  const { options, pointer, run } = attempt;
  const live = pointer && { current: pointer.current, manifest: stored.live };
  const most = await mostlyWithdrawn(attempt, stored.live, withdrawn, 0);
  const left = live && (await withdraw(attempt, live, withdrawn));
  if (left === "superseded") return left;
  noteMostlyWithdrawn(run, most);
  if (left !== undefined) noteLive(run, left);
  if (left !== undefined && !options.dryRun) {
    const mayHaveLiveTree = await keepLiveTree(attempt, stored, left);
    // The new snapshot keeps the memory. Withdrawn programs are read again, and found withdrawn.
    const rest = left === live ? undefined : stored.memory?.programs.values();
    const outcomes = rest && [...rest].filter(({ programId }) => !withdrawn.has(programId ?? ""));
    if (outcomes) await remember(attempt, stored, left.current.snapshotId, outcomes, mayHaveLiveTree);
  }
  // The counts are those of the programs that partners go on seeing.
  run.counts = countsOfKept(run.livePrograms ?? 0, { ...found, withdrawn: withdrawn.size });
  const { since, reason } = left?.current.hold ?? {};
  if (since !== undefined) {
    const message = `On hold since ${since}: ${reason}. End it with \`snapshot release\`.`;
    run.failure = { code: "held", message };
  }
  return "held";
}

/**
 * P227: how many of the live programs are withdrawn, if they are most. Those whose last day is past do not
 * count: a season may end over night. The live list has the dates; if it is damaged, all programs count.
 */
async function mostlyWithdrawn(
  attempt: BuildAttempt,
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

function noteMostlyWithdrawn(run: RunDraft, found: MostlyWithdrawn | undefined): void {
  if (found === undefined) return;
  run.mostlyWithdrawn = found;
  const value = `${found.withdrawn} of ${found.of} program(s) withdrawn; ${found.added} added`;
  note(run, { code: "mostly_withdrawn", programId: null, field: null, value });
}

/** P27: makes the tree for people follow. Returns whether there may be a tree now. */
async function keepLiveTree(
  { context, options }: BuildAttempt,
  { live, memory }: StoredState,
  { current, manifest }: LiveSnapshot,
): Promise<boolean> {
  const known = [live, manifest].filter((each) => each !== undefined);
  const knowledge = { known, rewrite: options.rewrite, mayExist: memory?.mayHaveLiveTree ?? true };
  return (await context.followLive?.(context.store, current, knowledge)) ?? true;
}

/** Writes the memory. Losing it costs time only, so a failure is a finding. */
async function remember(
  attempt: BuildAttempt,
  { live, memory }: StoredState,
  snapshotId: SnapshotId,
  outcomes: readonly ProgramOutcome[],
  mayHaveLiveTree: boolean,
): Promise<void> {
  const stored = snapshotId === live?.snapshotId ? memory : undefined;
  const writing = writeMemory(attempt, snapshotId, outcomes, mayHaveLiveTree, stored);
  await writing.catch((error: unknown) =>
    noteCode(attempt.run, "memory_unwritten", asFailure(error).message),
  );
}

export function noteUnreadable({ pointer, run }: BuildAttempt, { live }: StoredState): void {
  if (pointer !== undefined && live === undefined)
    noteCode(run, "manifest_unreadable", pointer.current.snapshotId);
}
