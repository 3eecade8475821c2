import { asFailure, Failure, type FailureCode, unlessFailed } from "../../../core/failure.ts";
import { snapshotId, type TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ProgramCounts, TenantRun } from "../../../schemas/generated/types.ts";
import { countsOfKept } from "../content/program-counts.ts";
import { emptiedRefusal } from "../guards/field-guard.ts";
import { invalidRefusal, shrinkRefusal } from "../guards/guards.ts";
import { sharedVerdict } from "../guards/shared-guard.ts";
import { readLiveManifest, readPointer } from "../snapshot/live-snapshot.ts";
import { readManifestHead } from "../snapshot/manifest-head.ts";
import type { Attempt, BuildContext, Known, Live } from "./build-context.ts";
import type { BuildOptions } from "./build-options.ts";
import { AttemptFacts, countedStore, heldFailure, outcomeOf } from "./build-report.ts";
import { isRemembered, type Memory, readMemory, rememberedLines, writeMemory } from "./memory.ts";
import type { NextSnapshot } from "./next-snapshot.ts";
import { publishNext, type ReadContent, removedMeanwhile } from "./publish.ts";
import { readNext } from "./read-next.ts";
import { createResponseWriter, type ResponseWriter } from "./response-writer.ts";
import { withdraw } from "./withdraw.ts";

/** The most restarts of a build that lost to another builder or to a prune. */
const maxRestarts = 3;

type Outcome = TenantRun["outcome"];

/**
 * Reads a tenant's rows, publishes what changed, and remembers what was read. Never throws: a failure is in the result, so that other
 * tenants go on (P12).
 */
export async function buildTenant(
  tenantId: TenantId,
  options: BuildOptions,
  given: BuildContext,
): Promise<TenantRun> {
  const startedAt = given.now();
  const { store, counts } = countedStore(given.store, tenantId);
  const context = { ...given, store };
  let facts = new AttemptFacts(undefined);
  let wasLive = false;

  async function untilDecided(): Promise<Outcome> {
    for (let restarts = 0; ; restarts += 1) {
      // P5: the pointer is read before the database. So a builder that holds older data loses the race for the pointer.
      const pointer = await readPointer(store, tenantId, context.signal);
      facts = new AttemptFacts(pointer?.current);
      if (pointer === undefined && wasLive) throw removedMeanwhile(tenantId);
      wasLive ||= pointer !== undefined;
      const attempt = { tenantId, options, context, pointer, readAt: context.now() };
      const outcome = await attemptOnce(attempt, facts);
      if (outcome !== "superseded") return outcome;
      if (restarts < maxRestarts) continue;
      if (await isNewerLive(attempt, facts)) return "unchanged";
      throw new Failure(
        "superseded",
        `Tenant ${tenantId} was published by other builders ${restarts + 1} times meanwhile; their snapshot stays.`,
      );
    }
  }

  const decided = await untilDecided().then(
    (outcome) => ({ outcome, failure: undefined }),
    (error: unknown) => {
      // P52: a tenant does not fail because somebody ended the run.
      if (context.signal.aborted) return { outcome: "skipped" as const, failure: undefined };
      const failure = asFailure(error);
      return { outcome: outcomeOf(failure), failure };
    },
  );
  const { hold } = facts.after ?? {};
  const failure = decided.outcome === "held" && hold ? heldFailure(hold) : decided.failure;
  const run = facts.run(tenantId, decided.outcome, failure);
  return { ...run, ...counts(), durationMs: Math.max(0, context.now().getTime() - startedAt.getTime()) };
}

/** Reads the source once and publishes what changed. */
async function attemptOnce(attempt: Attempt, facts: AttemptFacts): Promise<Outcome | "superseded"> {
  const { tenantId, options, context, pointer, readAt } = attempt;
  const knowing = readKnown(attempt);
  // It is read while the database works. When the database fails first, nobody waits for it.
  knowing.catch(() => {});
  const writer = createResponseWriter({
    ...context,
    tenantId,
    snapshotId: snapshotId(readAt, context.randomBytes(4)),
    // On hold nothing that is read is published.
    store: options.dryRun || pointer?.current.hold ? undefined : context.store,
  });
  let isReached = false;
  try {
    const read = await context
      .withRows(tenantId, (rows) => {
        isReached = true;
        return readNext(attempt, rows, knowing, writer);
      })
      .catch((error: unknown) => {
        const isOfSource = isReached && readingFailures.has(asFailure(error).code);
        if (context.signal.aborted || !isOfSource) throw error;
        return afterFailedReading(attempt, knowing, facts, error);
      });
    return read === "superseded" ? read : await endAsRead(attempt, await knowing, read, writer, facts);
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
async function readKnown({ options, context, pointer }: Attempt): Promise<Known> {
  const { store, signal } = context;
  const live =
    pointer && (await unlessFailed(readLiveManifest(store, pointer.current, signal), "corrupt_document"));
  const isNeeded = live !== undefined && !options.rewrite;
  return { live, memory: isNeeded ? await readMemory(store, options.recipe, live, signal) : undefined };
}

/**
 * P130: only what the source states as withdrawn is published; then the failure of the reading is thrown. This needs the ids and states
 * of the tenant's programs only, so no other view keeps it from arriving.
 */
async function afterFailedReading(
  attempt: Attempt,
  knowing: Promise<Known>,
  facts: AttemptFacts,
  error: unknown,
): Promise<"superseded"> {
  const { tenantId, context, pointer } = attempt;
  try {
    const known = await knowing;
    if (pointer !== undefined && known.live === undefined) noteUnreadable(facts, pointer);
    const { programs } = known.live ?? {};
    const stated = programs?.count
      ? await context.withRows(tenantId, (rows) => rows.withdrawn(programs))
      : [];
    if ((await endWithdrawing(attempt, known, new Set(stated), {}, facts)) === "superseded")
      return "superseded";
  } catch (failure) {
    facts.noteCode("withdrawals_unknown", asFailure(failure).message);
  }
  throw error;
}

/** Publishes what was read, unless it is live already or something blocks it. */
async function endAsRead(
  attempt: Attempt,
  known: Known,
  read: ReadContent,
  writer: ResponseWriter,
  facts: AttemptFacts,
): Promise<Outcome | "superseded"> {
  const { options, pointer, readAt } = attempt;
  const { next } = read;
  const live = pointer && { current: pointer.current, manifest: known.live };
  facts.counts = next.counts;
  facts.leftOut = next.leftOut;
  facts.findings = next.problems.findings;
  if (live !== undefined) facts.noteLive(live);
  if (live !== undefined && live.manifest === undefined) noteUnreadable(facts, live);
  const refusal = await refusalOf(attempt, known, next, facts);
  const isBlocked = refusal !== undefined || pointer?.current.hold != null;
  if (options.dryRun) facts.changes = next.changes(isBlocked);
  if (isBlocked) {
    await writer.settled();
    const outcome = await endWithdrawing(attempt, known, next.withdrawn, next.counts, facts);
    if (outcome !== "superseded" && refusal !== undefined) throw refusal;
    return outcome;
  }
  for (const problem of next.changeProblems) facts.note(problem);
  const published = await publishNext(attempt, known.live, read, writer);
  if (published === "superseded" || published === "would-publish") return published;
  const after = published === "unchanged" ? live : published;
  // A dry run confirms nothing, because readers of the store see nothing of it.
  if (options.dryRun || after === undefined) return "unchanged";
  facts.noteLive(after);
  facts.confirmedAt = readAt;
  const mayHaveLiveTree = await followLive(attempt, after, known.memory?.mayHaveLiveTree ?? true, known.live);
  await remember(attempt, known.memory, after, next, mayHaveLiveTree, facts);
  return published === "unchanged" ? published : "published";
}

/** Why a guard keeps the build from publishing, if one does. */
async function refusalOf(
  { tenantId, options, pointer, context }: Attempt,
  { live }: Known,
  next: NextSnapshot,
  facts: AttemptFacts,
): Promise<Failure | undefined> {
  if (pointer?.current.hold) return undefined;
  const { counts, emptiedFields } = next;
  const refusal =
    invalidRefusal(tenantId, counts, facts.findings.problems[0], options.onInvalid) ??
    (pointer === undefined || options.allowShrink
      ? undefined
      : shrinkRefusal(tenantId, live?.programs.count, counts)) ??
    (options.allowEmptied ? undefined : emptiedRefusal(tenantId, emptiedFields));
  if (refusal !== undefined) return refusal;
  const build = { tenantId, added: next.added, isLive: pointer !== undefined };
  const shared = await sharedVerdict(build, options.allowShared, context.findShared);
  if (shared instanceof Failure) return shared;
  if (shared !== undefined) facts.note(shared);
  return undefined;
}

/** P20: publishes the live content without these programs, the only change that a blocked or failed build makes. */
async function endWithdrawing(
  attempt: Attempt,
  { live: manifest, memory }: Known,
  withdrawn: ReadonlySet<string>,
  found: Partial<ProgramCounts>,
  facts: AttemptFacts,
): Promise<"held" | "superseded"> {
  const { options, context, pointer } = attempt;
  const live = pointer && { current: pointer.current, manifest };
  const left = live && (await withdraw(attempt, live, withdrawn));
  if (left === "superseded") return left;
  if (left !== undefined) {
    facts.noteLive(left);
    const mayHaveLiveTree = await followLive(attempt, left, memory?.mayHaveLiveTree ?? true, manifest);
    // The memory goes on as that of the new snapshot. The withdrawn programs are read again, and found withdrawn.
    if (left !== live && memory !== undefined) {
      const rest = [...memory.programs.values()].filter(([id]) => !withdrawn.has(id ?? ""));
      const place = { ...left.current, recipe: options.recipe };
      await writeMemory(context.store, place, rest, mayHaveLiveTree, context.signal).catch(() => {});
    }
  }
  // P148: the counts are those of the programs that partners go on seeing.
  facts.counts = countsOfKept(facts.livePrograms, { ...found, withdrawn: withdrawn.size });
  return "held";
}

/** Writes the memory of the live snapshot, unless it is stored already. */
async function remember(
  { options, context }: Attempt,
  memory: Memory | undefined,
  { current }: Live,
  next: NextSnapshot,
  mayHaveLiveTree: boolean,
  facts: AttemptFacts,
): Promise<void> {
  const lines = rememberedLines(next.lines);
  const isSameSnapshot = facts.before?.snapshotId === current.snapshotId;
  if (isSameSnapshot && isRemembered(memory, lines, mayHaveLiveTree)) return;
  try {
    const place = { ...current, recipe: options.recipe };
    await writeMemory(context.store, place, lines, mayHaveLiveTree, context.signal);
  } catch (error) {
    facts.noteCode("memory_unwritten", asFailure(error).message);
  }
}

/**
 * P27: makes the tenant's `live/` folder follow the live snapshot, also after a build that published nothing. `before`: a manifest
 * that need not be read. Returns whether there may be a folder now.
 */
async function followLive(
  { context, options }: Attempt,
  { current, manifest }: Live,
  mayExist: boolean,
  before?: Manifest,
): Promise<boolean> {
  if (options.dryRun || context.followLive === undefined) return true;
  const known = [before, manifest].filter((each) => each !== undefined);
  const outcome = await context.followLive(context.store, current, {
    known,
    rewrite: options.rewrite,
    mayExist,
  });
  return outcome !== "absent" && outcome !== "removed";
}

/** Whether the live snapshot shows what the source said after this attempt began to read. */
async function isNewerLive({ tenantId, context, readAt }: Attempt, facts: AttemptFacts): Promise<boolean> {
  const { store, signal } = context;
  const pointer = await readPointer(store, tenantId, signal);
  const head = pointer && (await readManifestHead(store, tenantId, pointer.current.snapshotId, signal));
  if (head === undefined || Date.parse(head.contentAt) <= readAt.getTime()) return false;
  facts.after = pointer?.current;
  facts.livePrograms = head.programs;
  return true;
}

function noteUnreadable(facts: AttemptFacts, { current }: Pick<Live, "current">): void {
  facts.noteCode("manifest_unreadable", current.snapshotId);
}
