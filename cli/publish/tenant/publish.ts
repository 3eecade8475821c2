import type { Current } from "../../../core/current.ts";
import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { lineFrom, type Manifest, manifestText, type ResponseEntry } from "../../../core/manifest.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { manifestKey, type ResponseName } from "../../../core/object-key.ts";
import type { ObjectBody, ObjectStore } from "../../../core/object-store.ts";
import { publishedContract } from "../../../schemas/generated/validators-published.ts";
import type { ListBodies } from "../content/lists.ts";
import { commit, nextGeneration } from "../snapshot/commit.ts";
import { putImmutable } from "../snapshot/put-immutable.ts";
import { readRemovedTenants } from "../snapshot/removed-tenants.ts";
import type { Attempt, Live } from "./build-context.ts";
import type { NextSnapshot } from "./next-snapshot.ts";
import type { ResponseWriter } from "./response-writer.ts";

/** What a reading of the source came to. */
export interface ReadContent {
  readonly next: NextSnapshot;
  /** `undefined` when they are those of the live snapshot, or when nothing is published in any case. */
  readonly lists: ListBodies | undefined;
  /** The live lists may be damaged, or `--rewrite` asks for new ones, so none of them is taken over. */
  readonly areListsAnew: boolean;
}

/**
 * Stores what the next snapshot needs beside its details, and makes it live. `unchanged`: partners would see no other bytes.
 * `live`: the live manifest, whose files the next snapshot takes over.
 */
export async function publishNext(
  attempt: Attempt,
  live: Manifest | undefined,
  { next, lists, areListsAnew }: ReadContent,
  writer: ResponseWriter,
): Promise<Live | "unchanged" | "would-publish" | "superseded"> {
  const { tenantId, options, pointer, readAt, context } = attempt;
  if (lists === undefined) return "unchanged";
  /** P7: the live entry when it has the same bytes and may be taken over. */
  async function entryOf(name: ResponseName, body: ObjectBody, before: ResponseEntry | undefined) {
    return before?.sha256 === body.sha256 && !areListsAnew ? before : await writer.put(name, body);
  }
  const list = await entryOf({ kind: "list" }, lists.list, live?.list);
  const legacy = await entryOf({ kind: "legacy" }, lists.legacy, live?.legacy);
  await writer.settled();
  if (next.isSame && list === live?.list && legacy === live.legacy) return "unchanged";
  if (options.dryRun) return "would-publish";
  const manifest: Manifest = {
    tenantId,
    generation: nextGeneration(pointer?.current, context.now()),
    snapshotId: writer.snapshotId,
    parent: pointer?.current.snapshotId ?? null,
    ancestors: live === undefined || options.rewrite ? [] : lineFrom(live),
    generatedAt: readAt.toISOString(),
    contract: publishedContract,
    list,
    legacy,
    programs: next.programs(),
  };
  return await publishManifest(attempt, manifest);
}

/**
 * Stores the manifest and makes its snapshot live in place of the one that the attempt began with; a hold stays (P9). The responses
 * are stored already.
 */
export async function publishManifest(
  { tenantId, pointer, context }: Attempt,
  manifest: Manifest,
): Promise<Live | "superseded"> {
  const { store, signal } = context;
  if (pointer === undefined && (await isRemoved(tenantId, store, signal))) throw removedMeanwhile(tenantId);
  const body = bytesBody(Buffer.from([...manifestText(manifest)].join("")));
  await context.beforeFirstWrite();
  await putImmutable(store, manifestKey(tenantId, manifest.snapshotId), body, signal);
  const current: Current = {
    tenantId,
    generation: manifest.generation,
    snapshotId: manifest.snapshotId,
    manifestSha256: body.sha256,
    publishedAt: context.now().toISOString(),
    hold: pointer?.current.hold ?? null,
    nonce: Buffer.from(context.randomBytes(16)).toString("hex"),
  };
  const { kind } = await commit(store, pointer, current);
  return kind === "superseded" ? kind : { current, manifest };
}

/** P91: a run takes the tenants that are back in the source off the list of removed ones, before it builds them. */
async function isRemoved(tenantId: TenantId, store: ObjectStore, signal: AbortSignal): Promise<boolean> {
  return (await readRemovedTenants(store, signal)).has(tenantId);
}

export function removedMeanwhile(tenantId: TenantId): Failure {
  return new Failure(
    "superseded",
    `Tenant ${tenantId} was removed while it was being built; nothing of it is published. ` +
      `What the build wrote goes with another \`tenant remove ${tenantId} --purge\`.`,
  );
}
