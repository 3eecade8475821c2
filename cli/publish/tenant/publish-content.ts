import type { Current } from "../../../core/current.ts";
import type { Manifest, ResponseEntry } from "../../../core/manifest.ts";
import type { ResponseName } from "../../../core/object-key.ts";
import type { ObjectBody } from "../../../core/object-store.ts";
import { publishedContract } from "../../../schemas/generated/validators-published.ts";
import type { ListBodies } from "../content/list-form.ts";
import { type Attempt, type AttemptOutcome, type Live, superseded } from "./attempt.ts";
import { generationBefore, takeBackIfRemoved } from "./first-publication.ts";
import { followLive } from "./follow-live.ts";
import { publishManifest } from "./publish-manifest.ts";
import type { ResponseWriter } from "./response-writer.ts";
import type { SourceReading } from "./source-reading.ts";
import type { TenantContent } from "./tenant-content.ts";
import { rememberContent } from "./write-memory.ts";

/** What was read of a tenant, and what is to be published of it. */
export interface FoundContent {
  readonly reading: SourceReading;
  readonly content: TenantContent;
  /** `undefined` where no program has changed, so that the live lists stay. */
  readonly lists: ListBodies | undefined;
}

/** Publishes what was read, unless it is what is live. */
export async function publishContent(
  attempt: Attempt,
  live: Live,
  { reading, content, lists }: FoundContent,
  writer: ResponseWriter,
): Promise<AttemptOutcome> {
  const { tenantId, options, context, readAt } = attempt;
  const { pointer } = live;
  // The content was counted against this manifest, and takes over from it.
  const parent = attempt.live.manifest;

  async function end(
    kind: "published" | "unchanged",
    after: Current | undefined,
    manifest: Manifest | undefined,
  ): Promise<AttemptOutcome> {
    const mayExist = attempt.memory?.mayHaveLiveTree ?? true;
    const mayHaveLiveTree = await followLive(attempt, after, [parent, manifest], mayExist);
    const memoryFailure = await rememberContent(attempt, after, reading, content, mayHaveLiveTree);
    // A dry run proves nothing to those who read the store.
    const confirmedAt = reading.isHinted || options.dryRun ? undefined : readAt;
    const livePrograms = manifest?.programs.count;
    return { kind, facts: { after, livePrograms, confirmedAt, memoryFailure } };
  }

  if (lists === undefined) return await end("unchanged", pointer?.current, live.manifest);
  const isAnew = options.rewrite || attempt.areListsDamaged;
  /** P7: the parent's entry when it has the same bytes and may be taken over. */
  const entryOf = async (
    name: ResponseName,
    body: ObjectBody,
    before: ResponseEntry | undefined,
  ): Promise<ResponseEntry> =>
    before?.sha256 === body.sha256 && !isAnew ? before : await writer.put(name, body);
  const list = await entryOf({ kind: "list" }, lists.list, parent?.list);
  const legacy = await entryOf({ kind: "legacy" }, lists.legacy, parent?.legacy);
  await writer.settled();
  if (content.hasParentsPrograms && list === parent?.list && legacy === parent.legacy) {
    return await end("unchanged", pointer?.current, live.manifest);
  }
  if (options.dryRun) return { kind: "would-publish", facts: {} };
  const before = pointer?.current.generation ?? (await generationBefore(tenantId, context));
  const manifest: Manifest = {
    tenantId,
    generation: before + 1,
    snapshotId: writer.snapshotId,
    parent: pointer?.current.snapshotId ?? null,
    generatedAt: readAt.toISOString(),
    contract: publishedContract,
    list,
    legacy,
    programs: content.programs,
  };
  const after = await publishManifest(attempt, pointer, manifest);
  if (after === "superseded") return superseded;
  if (pointer === undefined) await takeBackIfRemoved(tenantId, context.store);
  return await end("published", after, manifest);
}
