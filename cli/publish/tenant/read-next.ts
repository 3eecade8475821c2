import { unlessFailed } from "../../../core/failure.ts";
import { type ListBodies, type ListedProgram, readListed } from "../content/lists.ts";
import { isProgram, strayRows } from "../source/read-programs.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import type { Attempt, Known } from "./build-context.ts";
import type { ProgramLine } from "./memory.ts";
import { NextSnapshot } from "./next-snapshot.ts";
import type { ResponseWriter } from "./response-writer.ts";

/** What a reading of the source came to. */
export interface ReadContent {
  readonly next: NextSnapshot;
  /** `undefined` when they are those of the live snapshot, or when nothing is published in any case. */
  readonly lists: ListBodies | undefined;
  /** The live lists are written anew: they are damaged, or `--rewrite` asks for it. */
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
  const { options, context, pointer } = attempt;
  // The database computes the sums while the memory is fetched and parsed.
  const summing = rows.sums();
  summing.catch(() => {});
  const { live, memory } = await knowing;
  const found = await summing;
  const sums = new Map<string | null, string>();
  for (const sum of found) if (isProgram(sum)) sums.set(sum.programId, sum.sum);
  const strays = strayRows(found);
  const sumOf = (programId: string | null) => sums.get(programId);
  const isHeld = pointer?.current.hold != null;

  /** `kept`: the unchanged programs; `undefined`: all programs are read. */
  async function read(kept: readonly ProgramLine[] | undefined): Promise<NextSnapshot> {
    const next = new NextSnapshot({ live, memory, sumOf, strays, options, context, writer });
    for (const line of kept ?? []) next.keep(line);
    const changed: string[] = [];
    for (const [id, sum] of kept === undefined ? [] : sums) {
      if (id !== null && memory?.programs.get(id)?.[1] !== sum) changed.push(id);
    }
    const wanted = kept === undefined ? { count: sums.size } : { only: changed };
    if (kept === undefined || changed.length > 0) {
      for await (const batch of rows.programs(wanted)) {
        context.signal.throwIfAborted();
        for (const program of batch) await next.take(program);
        context.onProgress(batch.length);
      }
    }
    context.onProgress(kept?.length ?? 0);
    await next.finish(isHeld);
    return next;
  }

  const unchanged = [...(memory?.programs.values() ?? [])].filter(([id, sum]) => sums.get(id) === sum);
  const isFew = (sums.size - unchanged.length) * maxChangedShare ** -1 <= sums.size;
  // A program without an id cannot be asked for.
  const isFull = memory === undefined || !isFew || sums.has(null);
  const next = await read(isFull ? undefined : unchanged);
  // With a memory, the settings are those of the live lists.
  if (isHeld || (memory !== undefined && next.isSame)) return { next, lists: undefined, areListsAnew: false };
  const listed = next.hasKept ? await liveListed() : [];
  if (listed !== undefined) {
    return { next, lists: next.lists(listed), areListsAnew: options.rewrite };
  }
  const all = await read(undefined);
  return { next: all, lists: all.lists([]), areListsAnew: true };

  /** `undefined` when the live list is damaged, so that no program can be taken over from it. */
  async function liveListed(): Promise<readonly ListedProgram[] | undefined> {
    const { legacyCapacity } = options.rules;
    const reading = live && readListed(context.store, live, legacyCapacity, context.signal);
    return await unlessFailed(Promise.resolve(reading), "corrupt_document");
  }
}
