import { asFailure, Failure, type FailureCode, unlessFailed } from "../../../core/ground/failure.ts";
import type { TenantId } from "../../../core/ground/ids.ts";
import { countingStore } from "../../../core/store/counting-store.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";
import { ContentFault } from "../content/snapshot-content.ts";
import {
  type PointerVersion,
  publishedSnapshot,
  readLiveManifest,
  readPointer,
} from "../snapshot/stored-snapshot.ts";
import type { BuildAttempt, BuildContext, BuildOptions } from "./build-context.ts";
import { notBuilt, noteCode, noteFailure, noteLive, type RunDraft } from "./build-report.ts";
import { endAsRead, endWithdrawing, noteUnreadable } from "./end-build.ts";
import type { StoredState } from "./find-changes.ts";
import { forgetMemory, readMemory } from "./memory.ts";
import { removedMeanwhile } from "./publish.ts";
import { readNext } from "./read-next.ts";
import { ResponseWriter } from "./response-writer.ts";

/** The most restarts of a build that lost to another builder or to a prune. */
const maxRestarts = 3;

type Outcome = TenantRun["outcome"];

/**
 * Reads a tenant's rows, publishes what changed, and remembers what was read. Never throws: a failure is in
 * the result, so that other tenants go on (P19).
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
  const begin = (pointer: PointerVersion | undefined): RunDraft => {
    run = notBuilt(tenantId, "failed", pointer?.current);
    return run;
  };
  try {
    const outcome = await attemptUntilDecided({ tenantId, options, context }, begin);
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

/** `begin` gives each attempt a report of its own. */
async function attemptUntilDecided(
  build: Pick<BuildAttempt, "tenantId" | "options" | "context">,
  begin: (pointer: PointerVersion | undefined) => RunDraft,
): Promise<Outcome> {
  const { tenantId, options, context } = build;
  let wasLive = false;
  let isWhole = false;
  for (let restarts = 0; ; restarts += 1) {
    // P5: the pointer is read before the database, so a builder with older data loses the race for the
    // pointer.
    const pointer = await readPointer(context.store, tenantId, context.signal);
    const run = begin(pointer);
    if (pointer === undefined && wasLive) throw removedMeanwhile(tenantId);
    wasLive ||= pointer !== undefined;
    const isHeld = pointer?.current.hold != null;
    const attempt: BuildAttempt = { ...build, pointer, isHeld, isWhole, readAt: context.now(), run };
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

/** Reads the source once and publishes what changed. */
async function attemptOnce(attempt: BuildAttempt): Promise<Outcome | "superseded"> {
  const { tenantId, options, context, isHeld } = attempt;
  const storing = readStored(attempt);
  // It is read while the database works. When the database fails first, nobody waits for it.
  storing.catch(() => {});
  const writer = new ResponseWriter(attempt, options.dryRun || isHeld);
  let isReached = false;
  try {
    const read = await context
      .withRows(tenantId, (rows) => {
        isReached = true;
        return readNext(attempt, rows, storing, writer);
      })
      .catch(async (error: unknown) => {
        if (error instanceof ContentFault && !attempt.isWhole) throw error;
        const isOfSource = isReached && readingFailures.has(asFailure(error).code);
        if (context.signal.aborted || !isOfSource) throw error;
        // P195: the build begins again.
        if (await context.readAgain?.(tenantId, error)) return "superseded";
        return afterFailedReading(attempt, storing, error);
      });
    return read === "superseded" ? read : await endAsRead(attempt, await storing, read, writer);
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
async function readStored(attempt: BuildAttempt): Promise<StoredState> {
  const { options, context, pointer } = attempt;
  if (pointer === undefined) return {};
  const reading = readLiveManifest(context.store, pointer.current, context.signal);
  const live = await unlessFailed(reading, "corrupt_document");
  return live === undefined || options.rewrite || attempt.isWhole
    ? { live }
    : { live, memory: await readMemory(attempt, live) };
}

/**
 * P130: only what the source states as withdrawn is published; then the failure of the reading is thrown.
 * This needs the ids and states of the tenant's programs only, so no other view keeps it from arriving.
 */
async function afterFailedReading(
  attempt: BuildAttempt,
  storing: Promise<StoredState>,
  error: unknown,
): Promise<"superseded"> {
  const { tenantId, context, run } = attempt;
  try {
    const stored = await storing;
    noteUnreadable(attempt, stored);
    const programs = stored.live?.programs;
    const stated = programs?.count
      ? await context.withRows(tenantId, (rows) => rows.withdrawn(programs))
      : [];
    if ((await endWithdrawing(attempt, stored, new Set(stated), {})) === "superseded") return "superseded";
  } catch (failure) {
    noteCode(run, "withdrawals_unknown", asFailure(failure).message);
  }
  throw error;
}

/** Whether the live snapshot shows what the source said after this attempt began to read. */
async function isNewerLive({ tenantId, context, readAt, run }: BuildAttempt): Promise<boolean> {
  const { pointer, manifest } = (await publishedSnapshot(context.store, tenantId, context.signal)) ?? {};
  const contentAt = manifest?.contentAt ?? manifest?.generatedAt ?? "";
  if (pointer === undefined || !(Date.parse(contentAt) > readAt.getTime())) return false;
  noteLive(run, { current: pointer.current, manifest });
  return true;
}
