import { ContentFault, requireSmallLists, SnapshotContent } from "../content/snapshot-content.ts";
import type { TenantRows } from "../source/tenant-rows.ts";
import type { BuildAttempt } from "./build-context.ts";
import { findChanges, type SourceChanges, type StoredState } from "./find-changes.ts";
import { isPublished } from "./program-outcome.ts";
import type { ResponseWriter } from "./response-writer.ts";
import { type SourceReading, sourceReading } from "./source-reading.ts";
import { type TakenPrograms, takePrograms } from "./take-programs.ts";

/**
 * P21: finds the programs whose sums differ from the memory, reads those, and takes over the others. Whatever
 * the history, the result is what reading everything would give. Throws `ContentFault` when the two do not
 * agree.
 */
export async function readNext(
  attempt: BuildAttempt,
  rows: TenantRows,
  storing: Promise<StoredState>,
  writer: ResponseWriter,
): Promise<SourceReading> {
  const changes = await findChanges(attempt, rows, storing);
  const taken = await takePrograms(attempt, changes, rows, writer);
  attempt.context.onProgress(changes.kept.length);
  const reading = sourceReading(changes, taken);
  // With a memory, the settings are those of the live lists.
  const isLive = changes.memory !== undefined && !changes.areListsAnew && reading.isSame;
  if (attempt.isHeld || isLive) return { ...reading, content: undefined };
  const content = nextContent(reading, changes, taken);
  const { list, legacy } = content.lists;
  requireSmallLists(content.programs.count, list.size + legacy.size, attempt.options.rules.maxListBytes);
  return { ...reading, content };
}

/** The programs that were read, and those that are taken over from the live snapshot. */
function nextContent(
  { counts, publishedIds }: ReturnType<typeof sourceReading>,
  { kept, listed, live }: SourceChanges,
  taken: TakenPrograms,
): SnapshotContent {
  const keptIds = new Set<string | null>();
  for (const { programId: id } of kept.filter(isPublished)) {
    if (taken.listed.has(id ?? "")) throw new ContentFault(`program ${id} was read and taken over`);
    keptIds.add(id);
  }
  return SnapshotContent.of(
    publishedIds(),
    counts.programs,
    (id) => (keptIds.has(id) ? listed.get(id) : taken.listed.get(id)),
    (id) => (keptIds.has(id) ? live?.programs.get(id) : taken.records.get(id)),
  );
}
