import { asFailure } from "../../../core/failure.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { sourceMemoryKey } from "../../../core/object-key.ts";
import type { ObjectBody } from "../../../core/object-store.ts";
import type { Attempt } from "../tenant/attempt.ts";
import { type BlockedReading, blockedMemory, type MemoryHead, type MemoryTail } from "./source-memory.ts";
import type { SourceReading } from "./source-reading.ts";
import { Spool } from "./spool.ts";
import type { TenantContent } from "./tenant-content.ts";

/** Writes down what the live snapshot was built from, so that the next build reads only what changes. */
export async function rememberSource(
  attempt: Attempt,
  reading: SourceReading,
  content: TenantContent,
): Promise<void> {
  const head = memoryHead(attempt);
  if (head === undefined) return;
  await write(attempt, (spool) => {
    content.memory.writeTo(spool, head, memoryTail(attempt, reading, content), reading.remembered);
    return spool.finish();
  });
}

/** The same unless the memory says just that already. */
export async function rememberChanges(
  attempt: Attempt,
  reading: SourceReading,
  content: TenantContent,
): Promise<void> {
  const { remembered } = reading;
  const { memory: known } = attempt;
  const isSame =
    content.memory.added === 0 &&
    content.memory.kept === remembered?.count &&
    known?.kind === "programs" &&
    JSON.stringify(tailOf(known)) === JSON.stringify(memoryTail(attempt, reading, content));
  if (!isSame) await rememberSource(attempt, reading, content);
}

function tailOf({ strays, unlisted, earlier, mayHaveLiveTree }: MemoryTail): MemoryTail {
  return { strays, unlisted, earlier, mayHaveLiveTree };
}

function memoryTail(
  { record }: Attempt,
  { changes, strays, isHinted }: SourceReading,
  content: TenantContent,
): MemoryTail {
  const { mayHaveLiveTree } = record;
  const unlisted = changes.canBeNamed ? content.unlisted : null;
  return { strays, unlisted, earlier: isHinted ? content.earlier : [], mayHaveLiveTree };
}

/** Writes down what a build found that might not publish it: while nothing changes, the next one need not read it again. */
export async function rememberBlocked(
  attempt: Attempt,
  { sums, counts, findings, leftOut, emptiedFields }: Omit<BlockedReading, "earlier" | "mayHaveLiveTree">,
): Promise<void> {
  const head = memoryHead(attempt);
  const { mayHaveLiveTree } = attempt.record;
  const earlier = attempt.memory?.earlier ?? [];
  const blocked = { sums, counts, findings, leftOut, emptiedFields, earlier, mayHaveLiveTree };
  if (head !== undefined) await write(attempt, () => bytesBody(blockedMemory(head, blocked)));
}

function memoryHead({ tenantId, options, record, live }: Attempt): MemoryHead | undefined {
  const snapshotId = record.after?.snapshotId ?? live?.snapshotId;
  if (snapshotId === undefined || options.dryRun) return undefined;
  return { tenantId, snapshotId, recipe: options.recipe };
}

/**
 * Unconditionally: the last one to write wins, and a memory of another snapshot than the live one is of no use to anybody. It
 * is written after everything else, and without it nothing is lost but time, so a failure of it is only told: also one to
 * put it together, on a disk that is full.
 */
async function write(
  { tenantId, context, record }: Attempt,
  bodyOf: (spool: Spool) => ObjectBody,
): Promise<void> {
  try {
    using spool = new Spool();
    await context.store.put(sourceMemoryKey(tenantId), bodyOf(spool), { signal: context.signal });
  } catch (error) {
    record.memoryFailure = asFailure(error);
  }
}
