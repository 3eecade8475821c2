import { unlessFailed } from "../../../core/failure.ts";
import { snapshotId, type TenantId } from "../../../core/ids.ts";
import { type ListElements, readListElements } from "../content/list-form.ts";
import { type Findings, ProblemLog } from "../content/problem-log.ts";
import { countsOfKept } from "../content/program-counts.ts";
import { sharedVerdict } from "../guards/shared-guard.ts";
import { readLiveManifest, readPointer } from "../snapshot/live-snapshot.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import {
  type Attempt,
  type AttemptFacts,
  type AttemptOutcome,
  type Begun,
  type BuildContext,
  type Live,
  superseded,
} from "./attempt.ts";
import { type Block, blockOf, endBlocked, endRecalled, recalledBlock } from "./blocked-build.ts";
import type { BuildOptions } from "./build-options.ts";
import { type FoundContent, publishContent } from "./publish-content.ts";
import { createResponseWriter, type ResponseWriter } from "./response-writer.ts";
import { type BlockedReading, readSourceMemory } from "./source-memory.ts";
import { readSource, type SourceReading } from "./source-reading.ts";
import { readWhileWithdrawing } from "./stated-withdrawals.ts";
import { TenantContent } from "./tenant-content.ts";

/** Reads the source once and publishes what changed. Never throws. */
export async function attemptTenant(
  tenantId: TenantId,
  options: BuildOptions,
  context: BuildContext,
  areListsDamaged: boolean,
): Promise<AttemptOutcome> {
  const problems = new ProblemLog();
  let facts: AttemptFacts = {};
  try {
    // P5: the pointer is read before the database. So a builder that holds older data loses the race for the pointer.
    const pointer = await readPointer(context.store, tenantId, context.signal);
    facts = { before: pointer?.current, after: pointer?.current };
    const begun: Begun = { tenantId, options, context, pointer, readAt: context.now(), areListsDamaged };
    const readingKnown = readKnown(begun);
    // It is read while the database works. When the database fails first, nobody waits for it.
    readingKnown.catch(() => {});
    const writer = createResponseWriter({
      ...context,
      tenantId,
      snapshotId: snapshotId(begun.readAt, context.randomBytes(4)),
      // On hold nothing that is read is published.
      store: options.dryRun || pointer?.current.hold ? undefined : context.store,
    });
    try {
      const read = await readWhileWithdrawing(begun, readingKnown, (rows) =>
        readTenant(begun, rows, readingKnown, problems, writer),
      );
      if (read.kind === "superseded") return { ...read, facts };
      const { findings } = problems;
      facts = { ...facts, ...read.facts, findings };
      if (read.kind === "failed") return { kind: "failed", error: read.error, facts };
      if (read.result.kind === "lists-damaged") return { ...read.result, facts };
      const attempt = await readingKnown;
      const ended =
        read.result.kind === "recalled"
          ? await endAsRecalled(attempt, read.result, read.live, read.withdrawn)
          : await endAsFound(attempt, read.result, read.live, read.withdrawn, findings, writer);
      return { ...ended, facts: { ...facts, ...ended.facts } };
    } finally {
      // No write may still be under way when the attempt has ended, also after a failure.
      await writer.settled().catch(() => {});
    }
  } catch (error) {
    return { kind: "failed", error, facts };
  }
}

/** What a tenant's source says. */
type TenantReading =
  | ({ readonly kind: "found" } & FoundContent)
  /** The source is as it was when an earlier build was blocked, and the block still stands. */
  | { readonly kind: "recalled"; readonly block: Block; readonly memory: BlockedReading }
  | { readonly kind: "lists-damaged" };

async function readTenant(
  { context, areListsDamaged }: Begun,
  rows: TenantRows,
  readingKnown: Promise<Attempt>,
  problems: ProblemLog,
  writer: ResponseWriter,
): Promise<TenantReading> {
  const memory = readingKnown.then((known) => (areListsDamaged ? undefined : known.memory));
  const reading = await readSource(rows, memory, context.hintedPrograms);
  const attempt = await readingKnown;
  const recalled = recalledBlock(attempt, reading);
  if (recalled !== undefined) {
    const { programs, notPublishable, invalid } = recalled.memory.counts;
    context.onProgress(programs + notPublishable + invalid);
    return { kind: "recalled", ...recalled };
  }
  const content = await readContent(attempt, reading, problems, writer);
  if (reading.isFull) {
    return { kind: "found", reading, content, lists: content.lists(new Map()) };
  }
  // Every build reads a program with an error. It changes nothing as long as the error stays.
  if (content.hasParentsPrograms) return { kind: "found", reading, content, lists: undefined };
  const elements = await liveElements(attempt);
  if (elements === undefined) return { kind: "lists-damaged" };
  return { kind: "found", reading, content, lists: content.lists(elements) };
}

/** Reads the programs that have changed, or all where the reading is full, and makes the next content. */
async function readContent(
  attempt: Attempt,
  reading: SourceReading,
  problems: ProblemLog,
  writer: ResponseWriter,
): Promise<TenantContent> {
  const { context } = attempt;
  const content = new TenantContent(attempt, reading, problems, writer);
  try {
    for await (const batch of reading.programs()) {
      context.signal.throwIfAborted();
      for (const read of batch) await content.take(read);
      context.onProgress(batch.length);
    }
    await content.finish(reading.strays);
  } finally {
    await content.settled().catch(() => {});
  }
  context.onProgress(reading.kept.length);
  return content;
}

async function endAsFound(
  attempt: Attempt,
  found: FoundContent,
  live: Live,
  withdrawn: ReadonlySet<string>,
  findings: Findings,
  writer: ResponseWriter,
): Promise<AttemptOutcome> {
  const { content } = found;
  // P130: a reading that began before a program was withdrawn must not bring it back.
  if (![...withdrawn].every((id) => content.withdrawn.has(id))) return superseded;
  const { counts, leftOut, emptiedFields } = content;
  let facts: AttemptFacts = { counts, leftOut };
  try {
    const grounds = { counts, emptiedFields, first: findings.problems[0] };
    const own = blockOf(attempt, live.pointer, grounds);
    const { tenantId, options, context } = attempt;
    const [isLive, isAllowed] = [live.pointer !== undefined, options.allowShared];
    const build = { tenantId, added: content.added, count: counts.added, isLive, isAllowed };
    const shared = own === undefined ? await sharedVerdict(build, context.findShared) : undefined;
    const block = shared?.kind === "refused" ? shared : own;
    if (options.dryRun) facts = { ...facts, changes: content.changes(block !== undefined) };
    if (block === undefined) {
      const warnings = shared?.kind === "warned" ? [shared.problem] : [];
      facts = { ...facts, changeProblems: [...content.changeProblems, ...warnings] };
      const published = await publishContent(attempt, live, found, writer);
      return { ...published, facts: { ...facts, ...published.facts } };
    }
    await writer.settled();
    const ended = await endBlocked(attempt, live, found.reading, content, findings);
    return ended.kind === "superseded" ? ended : blocked(block, { ...facts, ...ended.facts });
  } catch (error) {
    return { kind: "failed", error, facts };
  }
}

async function endAsRecalled(
  attempt: Attempt,
  { block, memory }: Extract<TenantReading, { kind: "recalled" }>,
  live: Live,
  withdrawn: ReadonlySet<string>,
): Promise<AttemptOutcome> {
  if (withdrawn.size > 0) return superseded;
  const { counts, leftOut, findings } = memory;
  const memoryFailure = await endRecalled(attempt, live, memory);
  const livePrograms = live.manifest?.programs.count;
  return blocked(block, { livePrograms, counts, leftOut, findings, memoryFailure });
}

/** P148: the counts of a build that may not publish are those of the programs that partners go on seeing. */
function blocked(block: Block, found: AttemptFacts): AttemptOutcome {
  const facts = { ...found, counts: countsOfKept(found.livePrograms, found.counts ?? {}) };
  return block.kind === "held" ? { kind: "held", facts } : { kind: "failed", error: block.failure, facts };
}

/** The attempt, with what the store has of the tenant beside its pointer. A damaged document counts as missing, because the build writes it anew. */
async function readKnown(begun: Begun): Promise<Attempt> {
  const { tenantId, options, context, pointer } = begun;
  const { store, signal } = context;
  const manifest =
    pointer && (await unlessFailed(readLiveManifest(store, pointer.current, signal), "corrupt_document"));
  const memory =
    manifest === undefined || options.rewrite
      ? undefined
      : await readSourceMemory(store, tenantId, options.recipe, manifest, signal);
  return { ...begun, live: { pointer, manifest }, memory };
}

/** By program; `undefined` when the lists are damaged. */
async function liveElements({
  live: { manifest },
  context,
}: Attempt): Promise<ReadonlyMap<string, ListElements> | undefined> {
  return (
    manifest &&
    (await unlessFailed(readListElements(context.store, manifest, context.signal), "corrupt_document"))
  );
}
