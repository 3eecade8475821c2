import type { Manifest, ResponseEntry } from "../../../core/manifest.ts";
import type { ResponseName } from "../../../core/object-key.ts";
import type { ObjectBody } from "../../../core/object-store.ts";
import { publishedContract } from "../../../schemas/generated/validators-published.ts";
import type { Attempt, AttemptOutcome } from "./attempt.ts";
import { generationBefore, takeBackIfRemoved } from "./first-publication.ts";
import { followLive } from "./follow-live.ts";
import { publishManifest } from "./publish-manifest.ts";
import type { ResponseWriter } from "./response-writer.ts";
import type { SourceReading } from "./source-reading.ts";
import type { TenantContent } from "./tenant-content.ts";
import { rememberChanges, rememberSource } from "./write-memory.ts";

/** Publishes what was read, unless it is what is live. */
export async function publishContent(
  attempt: Attempt,
  reading: SourceReading,
  content: TenantContent,
  writer: ResponseWriter,
): Promise<AttemptOutcome> {
  const { options, context, live, pointer } = attempt;
  const { lists, programs } = content;
  const isAnew = options.rewrite || reading.areListsDamaged;
  const mayHaveLiveTree = attempt.memory?.mayHaveLiveTree ?? true;
  if (!reading.isFull && content.hasParentsPrograms) {
    confirm(attempt, reading);
    await followLive(attempt, mayHaveLiveTree);
    await rememberChanges(attempt, reading, content);
    return "unchanged";
  }
  if (lists === undefined) throw new TypeError("what has changed has lists of its own");
  const bodies = lists.finish();
  /** P7: the parent's entry when it has the same bytes and may be taken over. */
  const entryOf = async (
    name: ResponseName,
    body: ObjectBody,
    before: ResponseEntry | undefined,
  ): Promise<ResponseEntry> =>
    before?.sha256 === body.sha256 && !isAnew ? before : await writer.put(name, body);
  const list = await entryOf({ kind: "list" }, bodies.list, live?.list);
  const legacy = await entryOf({ kind: "legacy" }, bodies.legacy, live?.legacy);
  await writer.settled();
  if (content.hasParentsPrograms && list === live?.list && legacy === live.legacy) {
    confirm(attempt, reading);
    await followLive(attempt, mayHaveLiveTree);
    await rememberSource(attempt, reading, content);
    return "unchanged";
  }
  if (options.dryRun) return "would-publish";
  const before = pointer?.current.generation ?? (await generationBefore(attempt.tenantId, context));
  const manifest: Manifest = {
    tenantId: attempt.tenantId,
    generation: before + 1,
    snapshotId: writer.snapshotId,
    parent: pointer?.current.snapshotId ?? null,
    generatedAt: attempt.readAt.toISOString(),
    contract: publishedContract,
    list,
    legacy,
    programs,
  };
  const outcome = await publishManifest(attempt, manifest);
  if (outcome === "published") {
    if (pointer === undefined) await takeBackIfRemoved(attempt.tenantId, context.store);
    confirm(attempt, reading);
    await followLive(attempt, mayHaveLiveTree, manifest);
    await rememberSource(attempt, reading, content);
  }
  return outcome;
}

/**
 * P23: at the time of a reading of the whole source that published the live snapshot or found it unchanged. A dry run proves
 * nothing to those who read the store.
 */
function confirm({ record, readAt, options }: Attempt, { isHinted }: SourceReading): void {
  if (!isHinted && !options.dryRun) record.confirmedAt = readAt;
}
