import { asFailure } from "../../../core/failure.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { sourceMemoryKey } from "../../../core/object-key.ts";
import type { Attempt } from "./attempt.ts";
import { type BlockedReading, type MemoryHead, type MemoryRest, memoryBytes } from "./source-memory.ts";
import type { SourceReading } from "./source-reading.ts";
import type { TenantContent } from "./tenant-content.ts";

/** Writes down what the live snapshot was built from, so that the next build reads only what changes. */
export async function rememberSource(
  attempt: Attempt,
  reading: SourceReading,
  content: TenantContent,
): Promise<void> {
  const head = memoryHead(attempt);
  if (head === undefined) return;
  await write(attempt, () => memoryBytes(head, content.remembered, restOf(attempt, reading, content)));
}

/** The same unless the memory says just that already. */
export async function rememberChanges(
  attempt: Attempt,
  reading: SourceReading,
  content: TenantContent,
): Promise<void> {
  const { memory: known } = attempt;
  const isSame =
    known?.kind === "programs" &&
    content.remembered.length === known.programs.size &&
    content.remembered.every((program) => known.programs.get(program[0]) === program) &&
    JSON.stringify(restIn(known)) === JSON.stringify(restOf(attempt, reading, content));
  if (!isSame) await rememberSource(attempt, reading, content);
}

function restIn({ strays, unlisted, earlier, mayHaveLiveTree }: MemoryRest): MemoryRest {
  return { strays, unlisted, earlier, mayHaveLiveTree };
}

function restOf(
  { record }: Attempt,
  { canBeNamed, strays, isHinted }: SourceReading,
  content: TenantContent,
): MemoryRest {
  const { mayHaveLiveTree } = record;
  const unlisted = canBeNamed ? content.unlisted : null;
  return { strays, unlisted, earlier: isHinted ? content.earlier : [], mayHaveLiveTree };
}

/** Writes down what a build found that might not publish it: while nothing changes, the next one need not read it again. */
export async function rememberBlocked(
  attempt: Attempt,
  { sums, counts, findings, leftOut, emptiedFields }: Omit<BlockedReading, "earlier" | "mayHaveLiveTree">,
): Promise<void> {
  const head = memoryHead(attempt);
  if (head === undefined) return;
  const { mayHaveLiveTree } = attempt.record;
  const earlier = attempt.memory?.earlier ?? [];
  const blocked = { sums, counts, findings, leftOut, emptiedFields, earlier, mayHaveLiveTree };
  await write(attempt, () => memoryBytes(head, [], { blocked }));
}

function memoryHead({ tenantId, options, record, live }: Attempt): MemoryHead | undefined {
  const snapshotId = record.after?.snapshotId ?? live?.snapshotId;
  if (snapshotId === undefined || options.dryRun) return undefined;
  return { tenantId, snapshotId, recipe: options.recipe };
}

/**
 * Unconditionally: the last one to write wins, and a memory of another snapshot than the live one is of no use to anybody. It
 * is written after everything else, and without it nothing is lost but time, so that a failure is only a warning.
 */
async function write({ tenantId, context, record }: Attempt, bytes: () => Buffer): Promise<void> {
  try {
    await context.store.put(sourceMemoryKey(tenantId), bytesBody(bytes()), { signal: context.signal });
  } catch (error) {
    record.memoryFailure = asFailure(error);
  }
}
