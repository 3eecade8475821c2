import type { Current } from "../../../core/current.ts";
import { asFailure } from "../../../core/failure.ts";
import { snapshotId, type TenantId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { type ListElements, readListElements } from "../content/list-form.ts";
import { sharedVerdict } from "../guards/shared-guard.ts";
import { readLiveManifest, readPointer } from "../snapshot/live-snapshot.ts";
import type { Attempt, AttemptOutcome, AttemptRecord, BuildContext, BuildOptions } from "./attempt.ts";
import { blockOf, endBlocked, endRecalled, recalledBlock } from "./blocked-build.ts";
import { LiveComparison } from "./live-comparison.ts";
import { publishContent } from "./publish-content.ts";
import { createResponseWriter } from "./response-writer.ts";
import { readSourceMemory } from "./source-memory.ts";
import { readSource, type SourceReading } from "./source-reading.ts";
import { StatedWithdrawals } from "./stated-withdrawals.ts";
import { TenantContent } from "./tenant-content.ts";

/** Reads the source once and publishes what changed. */
export async function attemptTenant(
  tenantId: TenantId,
  options: BuildOptions,
  context: BuildContext,
  record: AttemptRecord,
): Promise<AttemptOutcome> {
  const { store, signal } = context;
  // P5: before the database: a builder that holds older data must lose the race for the pointer, not win it.
  const pointer = await readPointer(store, tenantId, signal);
  record.before = pointer?.current;
  const begun = { tenantId, options, context, record, pointer, readAt: context.now() };
  const known = whatIsKnown(tenantId, options, context, record);
  // It is asked for while the database works, and where that fails first, nobody waits for it.
  known.catch(() => {});
  return await attemptReading(begun, known);
}

async function attemptReading(
  begun: Omit<Attempt, keyof Known>,
  known: Promise<Known>,
): Promise<AttemptOutcome> {
  const { tenantId, options, context, record, pointer, readAt } = begun;
  const { rules, rewrite, dryRun } = options;
  const writer = createResponseWriter({
    ...context,
    tenantId,
    snapshotId: snapshotId(readAt, context.randomBytes(4)),
    // On hold nothing that is read is published.
    store: dryRun || pointer?.current.hold ? undefined : context.store,
    onWritten: (bytes) => {
      record.bytesWritten += bytes;
    },
  });
  const stated = new StatedWithdrawals(known.then((found) => ({ ...begun, ...found })));
  let content: TenantContent | undefined;
  let comparison: LiveComparison | undefined;
  try {
    const read = await stated.whileReading(begun, async (rows) => {
      const memory = known.then((found) => found.memory);
      const found = await readSource(rows, memory, options.hintedPrograms, () =>
        liveElements(known, context),
      );
      const attempt: Attempt = { ...begun, ...(await known) };
      const block = recalledBlock(attempt, found);
      if (block !== undefined) return { attempt, reading: found, recalled: block };
      comparison = liveComparison(attempt);
      const plan = { tenantId, snapshotId: writer.snapshotId, parent: attempt.live, rewrite, rules };
      content = new TenantContent(plan, found, record.problems, writer, comparison);
      await readContent(found, content, context);
      return { attempt, reading: found, recalled: undefined };
    });
    if (read === "superseded") return read;
    const { reading, recalled } = read;
    const { pointer, live } = stated.liveNow(read.attempt);
    // Content is counted against, and takes over from, the manifest that the attempt began with.
    const attempt = { ...read.attempt, pointer };
    const { withdrawn } = stated;
    if (recalled !== undefined) {
      return withdrawn.size === 0 ? await endRecalled(attempt, recalled) : "superseded";
    }
    if (content === undefined) throw new TypeError("what is not recalled is read");
    // P130: a reading that began before a program was withdrawn must not bring it back.
    if (![...withdrawn].every((id) => content?.withdrawn.has(id))) return "superseded";
    record.counts = content.counts;
    record.leftOut = content.leftOut;
    const { counts, emptiedFields } = content;
    const found = blockOf(attempt, { counts, emptiedFields, first: record.problems.kept[0] });
    const shared = found === undefined ? await sharedVerdict(attempt, content) : undefined;
    const block = shared?.kind === "refused" ? shared : found;
    if (dryRun) record.changes = content.changes(block !== undefined);
    if (block === undefined) {
      record.changeProblems = [
        ...content.changeProblems,
        ...(shared?.kind === "told" ? [shared.problem] : []),
      ];
    }
    if (block === undefined) return await publishContent(attempt, reading, content, writer);
    await writer.settled();
    return await endBlocked({ ...attempt, live }, block, reading, content);
  } finally {
    // Also after a failure, no write may still be under way when the attempt has ended.
    await writer.settled().catch(() => {});
    await comparison?.settled().catch(() => {});
  }
}

/** What is known of the tenant beside its pointer. */
type Known = Pick<Attempt, "live" | "memory">;

async function whatIsKnown(
  tenantId: TenantId,
  { recipe, rewrite }: BuildOptions,
  { store, signal }: BuildContext,
  record: AttemptRecord,
): Promise<Known> {
  const live = record.before && (await trustedManifest(store, record.before, record, signal));
  record.livePrograms = live?.programs.count;
  const isRead = live === undefined || rewrite;
  const memory = isRead ? undefined : await readSourceMemory(store, tenantId, recipe, live, signal);
  return { live, memory };
}

/** The elements of the live lists by program; `undefined` when the lists are damaged. */
async function liveElements(
  known: Promise<Known>,
  { store, signal }: BuildContext,
): Promise<ReadonlyMap<string, ListElements> | undefined> {
  const { live } = await known;
  if (live === undefined) return undefined;
  try {
    return await readListElements(store, live, signal);
  } catch (error) {
    if (asFailure(error).code !== "corrupt_document") throw error;
    return undefined;
  }
}

/** On hold nothing is published that could be compared. */
function liveComparison({ pointer, live, memory, options, context }: Attempt): LiveComparison {
  return new LiveComparison({
    live: pointer?.current.hold ? undefined : live,
    memory,
    store: context.store,
    namesFields: options.dryRun,
    signal: context.signal,
  });
}

async function readContent(
  reading: SourceReading,
  content: TenantContent,
  { signal, onProgress }: BuildContext,
): Promise<void> {
  for await (const batch of reading.programs()) {
    signal.throwIfAborted();
    for (const read of batch) await content.take(read);
    onProgress(batch.length);
  }
  await content.finish(reading.strays);
  onProgress(reading.kept.length);
}

/** A manifest that is missing or broken makes the build write every file anew, which mends the tenant. */
async function trustedManifest(
  store: ObjectStore,
  current: Current,
  record: AttemptRecord,
  signal: AbortSignal,
): Promise<Manifest | undefined> {
  try {
    return await readLiveManifest(store, current, signal);
  } catch (error) {
    const failure = asFailure(error);
    if (failure.code !== "corrupt_document") throw failure;
    record.isManifestUnreadable = true;
    return undefined;
  }
}
