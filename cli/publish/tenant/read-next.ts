import { unlessFailed } from "../../../core/failure.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { type ListBodies, readListed } from "../content/lists.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import type { Attempt } from "./build-context.ts";
import { isPublished, type Memory, type ProgramLine } from "./memory.ts";
import { NextSnapshot } from "./next-snapshot.ts";
import type { ResponseWriter } from "./response-writer.ts";

/** What the store has of the tenant beside its pointer. */
export interface Known {
  /** `undefined` when nothing is live, or when it cannot be trusted. */
  readonly live?: Manifest | undefined;
  readonly memory?: Memory | undefined;
}

/** What a reading of the source came to. */
export interface ReadContent {
  readonly next: NextSnapshot;
  /** `undefined` when they are those of the live snapshot, or when nothing is published in any case. */
  readonly lists: ListBodies | undefined;
  /** The live lists may be damaged, or `--rewrite` asks for new ones, so none of them is taken over. */
  readonly areListsAnew: boolean;
}

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
  const { options, context, isHeld } = attempt;
  // The database computes the sums while the memory is fetched and parsed.
  const summing = rows.sums();
  summing.catch(() => {});
  const { live, memory } = await knowing;
  const listing = async () => {
    if (live === undefined || isHeld) return [];
    const reading = readListed(context.store, live, options.rules.legacyCapacity, context.signal);
    return await unlessFailed(reading, "corrupt_document");
  };
  // A tenant that has changed needs the live list, which is read while the database works.
  const early = context.isNotified && memory !== undefined ? listing() : undefined;
  early?.catch(() => {});
  const { sums, strays } = await summing;
  const remembered = memory?.programs ?? new Map<string, ProgramLine>();
  const unchanged = [...remembered.values()].filter(([id, sum]) => sums.get(id) === sum);
  const ids = [...sums.keys()].filter((id) => id !== null);
  const changed = ids.filter((id) => remembered.get(id)?.[1] !== sums.get(id));
  // P223: the memory leaves some programs out, so the manifest says how many are live.
  const isAllLive = unchanged.filter(isPublished).length === live?.programs.count;
  const mayDiffer = changed.length > 0 || !isAllLive;
  // A program without an id cannot be asked for.
  const isFew = memory !== undefined && !sums.has(null) && changed.length <= sums.size * maxChangedShare;
  const listed = isFew && mayDiffer ? await (early ?? listing()) : [];
  // Nothing can be taken over from a damaged list.
  const isFull = !isFew || listed === undefined;

  const next = new NextSnapshot({ ...attempt, live, memory, sums, writer });
  const kept = isFull ? [] : unchanged;
  next.keep(kept);
  if (isFull || changed.length > 0) {
    for await (const batch of rows.programs(isFull ? { count: sums.size } : { only: changed })) {
      context.signal.throwIfAborted();
      for (const program of batch) await next.take(program);
      await writer.endBatch();
      context.onProgress(batch.length);
    }
  }
  context.onProgress(kept.length);
  await next.finish(strays);
  const areListsAnew = options.rewrite || listed === undefined;
  // With a memory, the settings are those of the live lists.
  const isLive = isHeld || (memory !== undefined && !areListsAnew && next.isSame);
  return { next, lists: isLive ? undefined : next.lists(listed ?? []), areListsAnew };
}
