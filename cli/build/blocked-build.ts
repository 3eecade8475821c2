import type { Failure } from "../../core/failure.ts";
import { snapshotId } from "../../core/ids.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { ProgramCounts } from "../../schemas/generated/types.ts";
import type { Attempt, AttemptOutcome, AttemptRecord } from "./attempt.ts";
import { followLive } from "./follow-live.ts";
import { invalidRefusal, shrinkRefusal } from "./guards.ts";
import type { FirstProblem } from "./problem-log.ts";
import { noPrograms } from "./program-counts.ts";
import { publishManifest } from "./publish-manifest.ts";
import { createResponseWriter } from "./response-writer.ts";
import type { SourceReading } from "./source-reading.ts";
import type { TenantContent } from "./tenant-content.ts";
import { withdrawalManifest } from "./withdrawal.ts";
import { rememberBlocked } from "./write-memory.ts";

/** Why what was read may not be published. */
export type Block = { readonly kind: "held" } | { readonly kind: "refused"; readonly failure: Failure };

/** `first`: the first finding that is an error, if there is one. */
export function blockOf(
  { tenantId, options, pointer, live }: Attempt,
  counts: ProgramCounts,
  first: FirstProblem | undefined,
): Block | undefined {
  if (pointer?.current.hold) return { kind: "held" };
  const failure =
    invalidRefusal(tenantId, counts, first, options.onInvalid) ??
    (pointer === undefined || options.allowShrink
      ? undefined
      : shrinkRefusal(tenantId, live?.programs.count, counts));
  return failure === undefined ? undefined : { kind: "refused", failure };
}

/** The block of an earlier build, when the source says what it said then and the block still stands. */
export function recalledBlock(attempt: Attempt, { sums }: SourceReading): Block | undefined {
  const { memory } = attempt;
  if (memory?.kind !== "blocked" || memory.sums !== sums) return undefined;
  const block = blockOf(attempt, memory.counts, memory.findings.problems[0]);
  if (block === undefined) return undefined;
  const { record, context } = attempt;
  const { programs, notPublishable, invalid } = memory.counts;
  record.counts = memory.counts;
  record.leftOut = memory.leftOut;
  record.recalled = memory.findings;
  context.onProgress(programs + notPublishable + invalid);
  return block;
}

/** P20: what the source has withdrawn is gone all the same. */
export async function endBlocked(
  attempt: Attempt,
  block: Block,
  { sums }: SourceReading,
  content: TenantContent,
): Promise<AttemptOutcome> {
  if (attempt.options.dryRun) return endOf(block, attempt.record);
  const { counts, leftOut, withdrawn } = content;
  const published = withdrawn.size > 0 ? await withdraw(attempt, withdrawn) : undefined;
  if (published === "superseded") return "superseded";
  await followLive(attempt, attempt.memory?.mayHaveLiveTree ?? true, published);
  const left = { ...counts, removed: counts.removed - withdrawn.size, withdrawn: 0 };
  const { findings } = attempt.record.problems;
  await rememberBlocked(attempt, { sums, counts: left, findings, leftOut });
  return endOf(block, attempt.record);
}

export async function endRecalled(attempt: Attempt, block: Block): Promise<AttemptOutcome> {
  const { memory, record } = attempt;
  if (memory?.kind !== "blocked") throw new TypeError("what is recalled is remembered");
  await followLive(attempt, memory.mayHaveLiveTree);
  if (record.mayHaveLiveTree !== memory.mayHaveLiveTree) await rememberBlocked(attempt, memory);
  return endOf(block, attempt.record);
}

/** Throws what refused the build. */
function endOf(block: Block, record: AttemptRecord): AttemptOutcome {
  if (block.kind === "held") {
    // What a build would change if it might is nobody's concern while the snapshot is held.
    const { notPublishable, invalid, withdrawn } = record.counts;
    const programs = record.livePrograms ?? 0;
    record.counts = {
      ...noPrograms,
      ...{ programs, unchanged: programs, removed: withdrawn ?? 0 },
      ...{ notPublishable, invalid, withdrawn: withdrawn ?? 0 },
    };
    return "held";
  }
  throw block.failure;
}

async function withdraw(
  attempt: Attempt,
  withdrawn: ReadonlySet<string>,
): Promise<Manifest | "superseded" | undefined> {
  const { tenantId, context, record, pointer, live, readAt } = attempt;
  if (pointer === undefined || live === undefined) return undefined;
  const { store, signal } = context;
  const plan = {
    live,
    withdrawn,
    generation: pointer.current.generation + 1,
    snapshotId: snapshotId(readAt, context.randomBytes(4)),
    generatedAt: readAt.toISOString(),
  };
  const onWritten = (bytes: number): void => {
    record.bytesWritten += bytes;
  };
  const writer = createResponseWriter({ ...context, tenantId, snapshotId: plan.snapshotId, onWritten });
  const manifest = await withdrawalManifest(plan, store, writer, signal);
  return (await publishManifest(attempt, manifest)) === "published" ? manifest : "superseded";
}
