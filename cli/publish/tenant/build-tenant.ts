import { countingStore } from "../../../core/counting-store.ts";
import { asFailure, Failure, type FailureCode, unlessFailed } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ProgramCounts, TenantRun } from "../../../schemas/generated/types.ts";
import { ContentFault } from "../content/snapshot-content.ts";
import { scaleRefusal } from "../guards/change-guard.ts";
import { emptiedRefusal } from "../guards/field-guard.ts";
import { invalidRefusal, shrinkRefusal } from "../guards/guards.ts";
import { publishedSnapshot, readLiveManifest, readPointer } from "../snapshot/stored-snapshot.ts";
import type { Attempt, BuildContext, BuildOptions, Live } from "./build-context.ts";
import { countsOfKept, notBuilt, note, noteCode, noteFailure, noteLive } from "./build-report.ts";
import type { StoredState } from "./find-changes.ts";
import { forgetMemory, type ProgramLine, readMemory, writeMemory } from "./memory.ts";
import { mostlyWithdrawn, noteMostlyWithdrawn } from "./mostly-withdrawn.ts";
import { publishNext, removedMeanwhile, withdraw } from "./publish.ts";
import { readNext } from "./read-next.ts";
import { ResponseWriter } from "./response-writer.ts";
import { partnerChanges, type SourceReading } from "./source-reading.ts";

/** The most restarts of a build that lost to another builder or to a prune. */
const maxRestarts = 3;

type Outcome = TenantRun["outcome"];

/**
 * Reads a tenant's rows, publishes what changed, and remembers what was read. Never throws: a failure is in the result, so that other
 * tenants go on (P19).
 */
export async function buildTenant(
  tenantId: TenantId,
  options: BuildOptions,
  given: BuildContext,
): Promise<TenantRun> {
  const startedAt = given.now();
  const store = countingStore(given.store);
  const context = { ...given, store };
  let run = notBuilt(tenantId, "failed");
  let wasLive = false;

  async function untilDecided(): Promise<Outcome> {
    let isWhole = false;
    for (let restarts = 0; ; restarts += 1) {
      // P5: the pointer is read before the database. So a builder that holds older data loses the race for the pointer.
      const pointer = await readPointer(store, tenantId, context.signal);
      run = notBuilt(tenantId, "failed", pointer?.current);
      if (pointer === undefined && wasLive) throw removedMeanwhile(tenantId);
      wasLive ||= pointer !== undefined;
      const isHeld = pointer?.current.hold != null;
      const attempt: Attempt = {
        tenantId,
        options,
        context,
        pointer,
        isHeld,
        isWhole,
        readAt: context.now(),
        run,
      };
      const outcome = await attemptOnce(attempt).catch(async (error: unknown): Promise<"disagrees"> => {
        if (!(error instanceof ContentFault)) throw error;
        if (isWhole && !options.dryRun) await forgetMemory(attempt);
        if (isWhole) throw error;
        return "disagrees";
      });
      // P223: the memory or the live list may be wrong, so the same build begins again and takes nothing over.
      isWhole = outcome === "disagrees";
      if (outcome === "disagrees") continue;
      if (outcome !== "superseded") return outcome;
      if (restarts < maxRestarts) continue;
      if (await isNewerLive(attempt)) return "unchanged";
      throw new Failure(
        "superseded",
        `Tenant ${tenantId} was published by other builders ${restarts + 1} times meanwhile; their snapshot stays.`,
      );
    }
  }

  try {
    const outcome = await untilDecided();
    run.outcome = outcome;
  } catch (error) {
    // A tenant does not fail because somebody ended the run.
    if (context.signal.aborted) run.outcome = "skipped";
    else noteFailure(run, asFailure(error));
  }
  // P22: partners see an empty list.
  const left = run.outcome === "would-publish" ? run.counts.programs : run.livePrograms;
  if (left === 0) noteCode(run, "snapshot_empty", null);
  const durationMs = Math.max(0, context.now().getTime() - startedAt.getTime());
  return { ...run, requests: store.requests(), durationMs };
}

/** Reads the source once and publishes what changed. */
async function attemptOnce(attempt: Attempt): Promise<Outcome | "superseded"> {
  const { tenantId, options, context, isHeld } = attempt;
  const knowing = readKnown(attempt);
  // It is read while the database works. When the database fails first, nobody waits for it.
  knowing.catch(() => {});
  const writer = new ResponseWriter(attempt, options.dryRun || isHeld);
  let isReached = false;
  try {
    const read = await context
      .withRows(tenantId, (rows) => {
        isReached = true;
        return readNext(attempt, rows, knowing, writer);
      })
      .catch(async (error: unknown) => {
        if (error instanceof ContentFault && !attempt.isWhole) throw error;
        const isOfSource = isReached && readingFailures.has(asFailure(error).code);
        if (context.signal.aborted || !isOfSource) throw error;
        // P195: the build begins again.
        if (await context.readAgain?.(tenantId, error)) return "superseded";
        return afterFailedReading(attempt, knowing, error);
      });
    return read === "superseded" ? read : await endAsRead(attempt, await knowing, read, writer);
  } finally {
    // No write may still be under way when the attempt has ended, also after a failure.
    await writer.settled().catch(() => {});
  }
}

/** How a reading fails because of the source. */
const readingFailures: ReadonlySet<string> = new Set<FailureCode>([
  "internal",
  "source_contract",
  "source_unavailable",
  "tenant_too_large",
  "vanished_guard",
]);

/** A damaged document counts as missing, because the build writes it anew. */
async function readKnown(attempt: Attempt): Promise<StoredState> {
  const { options, context, pointer } = attempt;
  if (pointer === undefined) return {};
  const reading = readLiveManifest(context.store, pointer.current, context.signal);
  const live = await unlessFailed(reading, "corrupt_document");
  return live === undefined || options.rewrite || attempt.isWhole
    ? { live }
    : { live, memory: await readMemory(attempt, live) };
}

/**
 * P130: only what the source states as withdrawn is published; then the failure of the reading is thrown. This needs the ids and states
 * of the tenant's programs only, so no other view keeps it from arriving.
 */
async function afterFailedReading(
  attempt: Attempt,
  knowing: Promise<StoredState>,
  error: unknown,
): Promise<"superseded"> {
  const { tenantId, context, run } = attempt;
  try {
    const known = await knowing;
    noteUnreadable(attempt, known);
    const programs = known.live?.programs;
    const stated = programs?.count
      ? await context.withRows(tenantId, (rows) => rows.withdrawn(programs))
      : [];
    if ((await endWithdrawing(attempt, known, new Set(stated), {})) === "superseded") return "superseded";
  } catch (failure) {
    noteCode(run, "withdrawals_unknown", asFailure(failure).message);
  }
  throw error;
}

/** Publishes what was read, unless it is live already or something blocks it. */
async function endAsRead(
  attempt: Attempt,
  known: StoredState,
  reading: SourceReading,
  writer: ResponseWriter,
): Promise<Outcome | "superseded"> {
  const { options, pointer, isHeld, readAt, run } = attempt;
  const { counts, leftOut, findings, withdrawn } = reading;
  Object.assign(run, { counts, leftOut, ...findings });
  const live = pointer && { current: pointer.current, manifest: known.live };
  if (live !== undefined) noteLive(run, live);
  noteUnreadable(attempt, known);
  const refusal = isHeld ? undefined : await refusalOf(attempt, known, reading);
  const isBlocked = isHeld || refusal !== undefined;
  if (options.dryRun) run.changes = partnerChanges(reading, known.live, isBlocked);
  if (isBlocked) {
    await writer.settled();
    const outcome = await endWithdrawing(attempt, known, withdrawn, counts);
    if (outcome !== "superseded" && refusal !== undefined) throw refusal;
    return outcome;
  }
  const most = await mostlyWithdrawn(attempt, known.live, withdrawn, counts.added);
  for (const problem of reading.changeProblems) note(run, problem);
  const published = await publishNext(attempt, known.live, reading, writer).catch(async (error: unknown) => {
    // P20: a snapshot that is too large as a whole keeps no withdrawal back.
    if (asFailure(error).code !== "tenant_too_large") throw error;
    const outcome = await endWithdrawing(attempt, known, withdrawn, counts);
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
  await follow(attempt, known, after, reading.lines);
  return published === "unchanged" ? published : "published";
}

/** Why a guard keeps the build from publishing, if one does. */
async function refusalOf(
  { tenantId, options, pointer, context, run }: Attempt,
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

/** P20: publishes the live content without these programs, the only change that a blocked or failed build makes. */
async function endWithdrawing(
  attempt: Attempt,
  known: StoredState,
  withdrawn: ReadonlySet<string>,
  found: Partial<ProgramCounts>,
): Promise<"held" | "superseded"> {
  const { pointer, run } = attempt;
  const live = pointer && { current: pointer.current, manifest: known.live };
  const most = await mostlyWithdrawn(attempt, known.live, withdrawn, 0);
  const left = live && (await withdraw(attempt, live, withdrawn));
  if (left === "superseded") return left;
  noteMostlyWithdrawn(run, most);
  // The memory goes on as that of the new snapshot. The withdrawn programs are read again, and found withdrawn.
  const rest = left === live ? undefined : known.memory?.programs.values();
  const lines = rest && [...rest].filter(([id]) => !withdrawn.has(id ?? ""));
  if (left !== undefined) await follow(attempt, known, left, lines);
  // The counts are those of the programs that partners go on seeing.
  run.counts = countsOfKept(run.livePrograms ?? 0, { ...found, withdrawn: withdrawn.size });
  const { since, reason } = left?.current.hold ?? {};
  if (since !== undefined) {
    const message = `On hold since ${since}: ${reason}. End it with \`snapshot release\`.`;
    run.failure = { code: "held", message };
  }
  return "held";
}

/** Notes what is live now, and makes what stands beside it follow: the tree for people (P27) and, with `lines`, the memory. */
async function follow(
  attempt: Attempt,
  { live, memory }: StoredState,
  after: Live,
  lines: readonly ProgramLine[] | undefined,
): Promise<void> {
  const { context, options, run } = attempt;
  const { current, manifest } = after;
  noteLive(run, after);
  if (options.dryRun) return;
  const known = [live, manifest].filter((each) => each !== undefined);
  const knowledge = { known, rewrite: options.rewrite, mayExist: memory?.mayHaveLiveTree ?? true };
  const mayHaveLiveTree = (await context.followLive?.(context.store, current, knowledge)) ?? true;
  if (lines === undefined) return;
  const stored = current.snapshotId === live?.snapshotId ? memory : undefined;
  await writeMemory(attempt, after, lines, mayHaveLiveTree, stored).catch((error: unknown) =>
    noteCode(run, "memory_unwritten", asFailure(error).message),
  );
}

/** Whether the live snapshot shows what the source said after this attempt began to read. */
async function isNewerLive({ tenantId, context, readAt, run }: Attempt): Promise<boolean> {
  const { pointer, manifest } = (await publishedSnapshot(context.store, tenantId, context.signal)) ?? {};
  const contentAt = manifest?.contentAt ?? manifest?.generatedAt ?? "";
  if (pointer === undefined || !(Date.parse(contentAt) > readAt.getTime())) return false;
  noteLive(run, { current: pointer.current, manifest });
  return true;
}

function noteUnreadable({ pointer, run }: Attempt, { live }: StoredState): void {
  if (pointer !== undefined && live === undefined)
    noteCode(run, "manifest_unreadable", pointer.current.snapshotId);
}
