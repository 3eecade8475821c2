import type { Current } from "../../../core/current.ts";
import { asFailure, type Failure } from "../../../core/failure.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { sourceMemoryKey } from "../../../core/object-key.ts";
import type { Attempt } from "./attempt.ts";
import { type BlockedReading, type MemoryHead, type MemoryRest, memoryBytes } from "./source-memory.ts";
import type { SourceReading } from "./source-reading.ts";
import type { TenantContent } from "./tenant-content.ts";

/** Writes the memory of the live snapshot unless it is stored already. Returns why it could not be written, if so. */
export async function rememberContent(
  attempt: Attempt,
  live: Current | undefined,
  { canBeNamed, strays, isHinted }: SourceReading,
  content: TenantContent,
  mayHaveLiveTree: boolean,
): Promise<Failure | undefined> {
  const rest: MemoryRest = {
    strays,
    unlisted: canBeNamed ? content.unlisted : null,
    earlier: isHinted ? content.earlier : [],
    mayHaveLiveTree,
  };
  if (isRemembered(attempt, live, content, rest)) return undefined;
  return await write(attempt, live, (head) => memoryBytes(head, content.remembered, rest));
}

/** Remembers a blocked build, which need not be repeated while nothing changes. */
export async function rememberBlocked(
  attempt: Attempt,
  live: Current | undefined,
  blocked: BlockedReading,
): Promise<Failure | undefined> {
  return await write(attempt, live, (head) => memoryBytes(head, [], { blocked }));
}

function isRemembered(
  { memory, pointer }: Attempt,
  live: Current | undefined,
  { remembered }: TenantContent,
  rest: MemoryRest,
): boolean {
  if (memory?.kind !== "programs" || pointer?.current.snapshotId !== live?.snapshotId) return false;
  const { strays, unlisted, earlier, mayHaveLiveTree } = memory;
  return (
    remembered.length === memory.programs.size &&
    remembered.every((program) => memory.programs.get(program[0]) === program) &&
    JSON.stringify({ strays, unlisted, earlier, mayHaveLiveTree }) === JSON.stringify(rest)
  );
}

/**
 * Writes without a condition: the last writer wins, and builds ignore a memory of another snapshot. It is written last, and
 * losing it only makes the next build read everything.
 */
async function write(
  { tenantId, options, context }: Attempt,
  live: Current | undefined,
  bytesOf: (head: MemoryHead) => Buffer,
): Promise<Failure | undefined> {
  if (live === undefined || options.dryRun) return undefined;
  try {
    const head: MemoryHead = { tenantId, snapshotId: live.snapshotId, recipe: options.recipe };
    const body = bytesBody(bytesOf(head));
    await context.store.put(sourceMemoryKey(tenantId), body, { signal: context.signal });
    return undefined;
  } catch (error) {
    return asFailure(error);
  }
}
