import type { Failure } from "../../../core/failure.ts";
import type { ProgramCounts } from "../../../schemas/generated/types.ts";
import type { Findings, FirstProblem } from "../content/problem-log.ts";
import { type EmptiedField, emptiedRefusal } from "../guards/field-guard.ts";
import { invalidRefusal, shrinkRefusal } from "../guards/guards.ts";
import type { PointerVersion } from "../snapshot/live-snapshot.ts";
import { type Attempt, type AttemptFacts, type Live, type Superseded, superseded } from "./attempt.ts";
import { followLive } from "./publish-content.ts";
import type { BlockedReading } from "./source-memory.ts";
import type { SourceReading } from "./source-reading.ts";
import type { TenantContent } from "./tenant-content.ts";
import { withdraw } from "./withdraw.ts";
import { rememberBlocked } from "./write-memory.ts";

/** Why a build may not publish what it has read. */
export type Block = { readonly kind: "held" } | { readonly kind: "refused"; readonly failure: Failure };

export interface BlockGrounds {
  readonly counts: ProgramCounts;
  readonly emptiedFields: readonly EmptiedField[];
  /** The first finding, which is an error if any is. */
  readonly first: FirstProblem | undefined;
}

export function blockOf(
  { tenantId, options, live }: Attempt,
  pointer: PointerVersion | undefined,
  { counts, emptiedFields, first }: BlockGrounds,
): Block | undefined {
  if (pointer?.current.hold) return { kind: "held" };
  const failure =
    invalidRefusal(tenantId, counts, first, options.onInvalid) ??
    (pointer === undefined || options.allowShrink
      ? undefined
      : shrinkRefusal(tenantId, live.manifest?.programs.count, counts)) ??
    (options.allowEmptied ? undefined : emptiedRefusal(tenantId, emptiedFields));
  return failure === undefined ? undefined : { kind: "refused", failure };
}

/** The block of an earlier build, if the source has not changed since and the block still stands. */
export function recalledBlock(
  attempt: Attempt,
  reading: SourceReading,
): { readonly block: Block; readonly memory: BlockedReading } | undefined {
  const { memory, pointer } = attempt;
  if (memory?.kind !== "blocked" || memory.sums !== reading.digest()) return undefined;
  const { counts, emptiedFields, findings } = memory;
  const block = blockOf(attempt, pointer, { counts, emptiedFields, first: findings.problems[0] });
  return block && { block, memory };
}

/** P20: withdraws what the source has withdrawn, the only change that a blocked build publishes, and remembers the block. */
export async function endBlocked(
  attempt: Attempt,
  live: Live,
  reading: SourceReading,
  { counts, leftOut, emptiedFields, withdrawn }: TenantContent,
  findings: Findings,
): Promise<Superseded | { readonly kind: "blocked"; readonly facts: AttemptFacts }> {
  const livePrograms = live.manifest?.programs.count;
  if (attempt.options.dryRun) return { kind: "blocked", facts: { livePrograms } };
  const done = await withdraw(attempt, live, withdrawn);
  if (done === "superseded") return superseded;
  const { pointer, manifest } = done?.live ?? live;
  const mayHaveLiveTree = done?.mayHaveLiveTree ?? (await followLive(attempt, pointer?.current, [manifest]));
  const memoryFailure = await rememberBlocked(attempt, pointer?.current, {
    sums: reading.digest(),
    counts: { ...counts, removed: counts.removed - withdrawn.size, withdrawn: 0 },
    findings,
    leftOut,
    emptiedFields,
    earlier: attempt.memory?.earlier ?? [],
    mayHaveLiveTree,
  });
  return {
    kind: "blocked",
    facts: { after: pointer?.current, livePrograms: manifest?.programs.count, memoryFailure },
  };
}

/** Ends a build with the block of an earlier build. Returns why the memory could not be written, if it had to be. */
export async function endRecalled(
  attempt: Attempt,
  { pointer, manifest }: Live,
  memory: BlockedReading,
): Promise<Failure | undefined> {
  const mayHaveLiveTree = await followLive(attempt, pointer?.current, [manifest]);
  if (mayHaveLiveTree === memory.mayHaveLiveTree) return undefined;
  return await rememberBlocked(attempt, pointer?.current, { ...memory, mayHaveLiveTree });
}
