import type { Current } from "../../../core/current.ts";
import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { lineFrom, type Manifest, manifestText, type ResponseEntry } from "../../../core/manifest.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { currentKey, manifestKey, type ResponseName } from "../../../core/object-key.ts";
import type { ObjectBody, ObjectStore } from "../../../core/object-store.ts";
import { publishedContract } from "../../../schemas/generated/validators-published.ts";
import type { ListBodies } from "../content/list-form.ts";
import { commit } from "../snapshot/commit.ts";
import type { PointerVersion } from "../snapshot/live-snapshot.ts";
import { putImmutable } from "../snapshot/put-immutable.ts";
import { readRemovedTenants } from "../snapshot/removed-tenants.ts";
import { type Attempt, type AttemptOutcome, type BuildContext, type Live, superseded } from "./attempt.ts";
import type { ResponseWriter } from "./response-writer.ts";
import type { SourceReading } from "./source-reading.ts";
import type { TenantContent } from "./tenant-content.ts";
import { rememberContent } from "./write-memory.ts";

export interface FoundContent {
  readonly reading: SourceReading;
  readonly content: TenantContent;
  /** `undefined` when no program has changed, so that the live lists stay. */
  readonly lists: ListBodies | undefined;
}

/** Publishes the content, unless it is live already. */
export async function publishContent(
  attempt: Attempt,
  live: Live,
  { reading, content, lists }: FoundContent,
  writer: ResponseWriter,
): Promise<AttemptOutcome> {
  const { tenantId, options, context, readAt } = attempt;
  const { pointer } = live;
  // The content takes over files of this manifest, and its counts compare with it.
  const parent = attempt.live.manifest;

  async function end(
    kind: "published" | "unchanged",
    after: Current | undefined,
    manifest: Manifest | undefined,
  ): Promise<AttemptOutcome> {
    const mayHaveLiveTree = await followLive(attempt, after, [parent, manifest]);
    const memoryFailure = await rememberContent(attempt, after, reading, content, mayHaveLiveTree);
    // A dry run confirms nothing, because readers of the store see nothing of it.
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
    ancestors: parent === undefined || options.rewrite ? [] : lineFrom(parent),
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

/**
 * Stores the manifest and makes its snapshot live in place of the one that `pointer` names; a hold stays (P9). The responses are
 * stored already. Returns the new pointer.
 */
export async function publishManifest(
  { tenantId, context }: Attempt,
  pointer: PointerVersion | undefined,
  manifest: Manifest,
): Promise<Current | "superseded"> {
  const { store, signal } = context;
  const body = bytesBody(Buffer.from([...manifestText(manifest)].join("")));
  await context.beforeFirstWrite();
  await putImmutable(store, manifestKey(tenantId, manifest.snapshotId), body, signal);
  const next: Current = {
    tenantId,
    generation: manifest.generation,
    snapshotId: manifest.snapshotId,
    manifestSha256: body.sha256,
    publishedAt: context.now().toISOString(),
    hold: pointer?.current.hold ?? null,
    nonce: Buffer.from(context.randomBytes(16)).toString("hex"),
  };
  const { kind } = await commit(store, pointer, next);
  return kind === "superseded" ? kind : next;
}

/**
 * P92: the last generation of a tenant without a pointer; 0 when it was never removed. Throws `superseded` when it was removed
 * after this build began (P91).
 */
export async function generationBefore(
  tenantId: TenantId,
  { store, signal }: Pick<BuildContext, "store" | "signal">,
): Promise<number> {
  const removed = (await readRemovedTenants(store, signal)).get(tenantId);
  if (removed === undefined) return 0;
  if (removed.removedAt !== null) throw removedMeanwhile(tenantId);
  return removed.generation;
}

/**
 * P91: takes back a first publication whose tenant was removed meanwhile. A removal before our first `current.json` could not see
 * it, so we look for such a removal here. A later removal sees the pointer itself. The run's signal does not stop this, because
 * the pointer would stay.
 */
export async function takeBackIfRemoved(tenantId: TenantId, store: ObjectStore): Promise<void> {
  const removed = (await readRemovedTenants(store, new AbortController().signal)).get(tenantId);
  if (removed === undefined || removed.removedAt === null) return;
  await store.delete([currentKey(tenantId)]);
  throw removedMeanwhile(tenantId);
}

function removedMeanwhile(tenantId: TenantId): Failure {
  return new Failure(
    "superseded",
    `Tenant ${tenantId} was removed while it was being built; nothing of it is published. ` +
      `What the build wrote goes with another \`tenant remove ${tenantId} --purge\`.`,
  );
}

/**
 * P27: makes the tenant's `live/` folder follow the live snapshot, also after a build that published nothing. `known`: manifests
 * that need not be read. Returns whether there may be a folder now.
 */
export async function followLive(
  { context, options, memory }: Attempt,
  current: Current | undefined,
  known: readonly (Manifest | undefined)[],
): Promise<boolean> {
  if (current === undefined || options.dryRun || context.followLive === undefined) return true;
  const outcome = await context.followLive(context.store, current, {
    known: known.filter((manifest) => manifest !== undefined),
    rewrite: options.rewrite,
    mayExist: memory?.mayHaveLiveTree ?? true,
  });
  return outcome !== "absent" && outcome !== "removed";
}
