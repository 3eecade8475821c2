import type { Failure } from "../../../core/failure.ts";
import type { ProgramCounts } from "../../../schemas/generated/types.ts";
import type { FirstProblem } from "../content/problem-log.ts";
import { countsOfKept } from "../content/program-counts.ts";
import { type EmptiedField, emptiedRefusal } from "../guards/field-guard.ts";
import { invalidRefusal, shrinkRefusal } from "../guards/guards.ts";
import type { Attempt, AttemptOutcome, AttemptRecord } from "./attempt.ts";
import { followLive } from "./follow-live.ts";
import type { SourceReading } from "./source-reading.ts";
import type { TenantContent } from "./tenant-content.ts";
import { withdraw } from "./withdraw.ts";
import { rememberBlocked } from "./write-memory.ts";

/** Why what was read may not be published. */
export type Block = { readonly kind: "held" } | { readonly kind: "refused"; readonly failure: Failure };

/** What decides whether a build may publish. */
export interface FoundContent {
  readonly counts: ProgramCounts;
  readonly emptiedFields: readonly EmptiedField[];
  /** The first finding that is an error, if there is one. */
  readonly first: FirstProblem | undefined;
}

export function blockOf(
  { tenantId, options, pointer, live }: Attempt,
  { counts, emptiedFields, first }: FoundContent,
): Block | undefined {
  if (pointer?.current.hold) return { kind: "held" };
  const failure =
    invalidRefusal(tenantId, counts, first, options.onInvalid) ??
    (pointer === undefined || options.allowShrink
      ? undefined
      : shrinkRefusal(tenantId, live?.programs.count, counts)) ??
    (options.allowEmptied ? undefined : emptiedRefusal(tenantId, emptiedFields));
  return failure === undefined ? undefined : { kind: "refused", failure };
}

/** The block of an earlier build, when the source says what it said then and the block still stands. */
export function recalledBlock(attempt: Attempt, reading: SourceReading): Block | undefined {
  const { memory } = attempt;
  if (memory?.kind !== "blocked" || memory.sums !== reading.digest()) return undefined;
  const { counts, emptiedFields, findings } = memory;
  const block = blockOf(attempt, { counts, emptiedFields, first: findings.problems[0] });
  if (block === undefined) return undefined;
  const { record, context } = attempt;
  const { programs, notPublishable, invalid } = counts;
  record.counts = counts;
  record.leftOut = memory.leftOut;
  record.recalled = findings;
  context.onProgress(programs + notPublishable + invalid);
  return block;
}

/** P20: what the source has withdrawn is gone all the same. */
export async function endBlocked(
  attempt: Attempt,
  block: Block,
  reading: SourceReading,
  content: TenantContent,
): Promise<AttemptOutcome> {
  if (attempt.options.dryRun) return endOf(block, attempt.record);
  const { counts, leftOut, emptiedFields, withdrawn } = content;
  const after = await withdraw(attempt, withdrawn);
  if (after === "superseded") return "superseded";
  if (after === attempt) await followLive(attempt, attempt.memory?.mayHaveLiveTree ?? true);
  const left = { ...counts, removed: counts.removed - withdrawn.size, withdrawn: 0 };
  const { findings } = attempt.record.problems;
  const sums = reading.digest();
  await rememberBlocked(attempt, { sums, counts: left, findings, leftOut, emptiedFields });
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
  // P148: what a build would change if it might is nobody's concern: these are the programs that partners go on seeing.
  record.counts = countsOfKept(record.livePrograms, record.counts);
  if (block.kind === "held") return "held";
  throw block.failure;
}
