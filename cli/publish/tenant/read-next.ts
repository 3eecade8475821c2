import { unlessFailed } from "../../../core/failure.ts";
import { type ListedProgram, readListed } from "../content/lists.ts";
import { isProgram, strayRows } from "../source/read-programs.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import type { Attempt, Known } from "./build-context.ts";
import { NextSnapshot } from "./next-snapshot.ts";
import type { ReadContent } from "./publish.ts";
import type { ResponseWriter } from "./response-writer.ts";

/** When a larger share of the programs has changed, all are read. Looking each one up by its id would cost more. */
const maxChangedShare = 1 / 3;

/**
 * P21: finds the programs whose sums differ from the memory, reads those, and takes over the others. Whatever the history, the result is
 * what reading everything would give.
 */
export async function readNext(
  attempt: Attempt,
  rows: TenantRows,
  knowing: Promise<Known>,
  writer: ResponseWriter,
): Promise<ReadContent> {
  const { options, context, pointer } = attempt;
  // The database computes the sums while the memory is fetched and parsed.
  const summing = rows.sums();
  summing.catch(() => {});
  const { live, memory } = await knowing;
  const found = await summing;
  const sums = new Map<string | null, string>();
  for (const sum of found) if (isProgram(sum)) sums.set(sum.programId, sum.sum);
  const remembered = [...(memory?.programs.values() ?? [])];
  const unchanged = remembered.filter(([id, sum]) => sums.get(id) === sum);
  const changed = [...sums.keys()].filter(
    (id) => id !== null && memory?.programs.get(id)?.[1] !== sums.get(id),
  ) as string[];
  const isHeld = pointer?.current.hold != null;
  const mayDiffer = changed.length > 0 || unchanged.length < remembered.length;
  // A program without an id cannot be asked for.
  const isFew = memory !== undefined && !sums.has(null) && changed.length <= sums.size * maxChangedShare;
  const listed = isFew && mayDiffer && !isHeld ? await liveListed() : [];
  // Nothing can be taken over from a damaged list.
  const isFull = !isFew || listed === undefined;

  const strays = strayRows(found);
  const sumOf = (programId: string | null) => sums.get(programId);
  const next = new NextSnapshot({ live, memory, sumOf, strays, options, context, writer });
  const kept = isFull ? [] : unchanged;
  for (const line of kept) next.keep(line);
  if (isFull || changed.length > 0) {
    for await (const batch of rows.programs(isFull ? { count: sums.size } : { only: changed })) {
      context.signal.throwIfAborted();
      for (const program of batch) await next.take(program);
      context.onProgress(batch.length);
    }
  }
  context.onProgress(kept.length);
  await next.finish(isHeld);
  const areListsAnew = options.rewrite || listed === undefined;
  // With a memory, the settings are those of the live lists.
  const isLive = isHeld || (memory !== undefined && !areListsAnew && next.isSame);
  return { next, lists: isLive ? undefined : next.lists(listed ?? []), areListsAnew };

  async function liveListed(): Promise<readonly ListedProgram[] | undefined> {
    const { legacyCapacity } = options.rules;
    const reading = live && readListed(context.store, live, legacyCapacity, context.signal);
    return await unlessFailed(Promise.resolve(reading), "corrupt_document");
  }
}
