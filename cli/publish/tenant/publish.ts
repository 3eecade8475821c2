import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { lineFrom, type Manifest, manifestText, type ResponseEntry } from "../../../core/manifest.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { manifestKey, type ResponseName } from "../../../core/object-key.ts";
import type { ObjectBody } from "../../../core/object-store.ts";
import { ProgramTable } from "../../../core/program-table.ts";
import { publishedContract } from "../../../schemas/generated/validators-published.ts";
import { type ListBodies, listBodies, readListed } from "../content/lists.ts";
import { commit, nextGeneration } from "../snapshot/commit.ts";
import { putImmutable } from "../snapshot/put-immutable.ts";
import { readRemovedTenants } from "../snapshot/removed-tenants.ts";
import type { Attempt, Live } from "./build-context.ts";
import type { NextSnapshot } from "./next-snapshot.ts";
import { ResponseWriter } from "./response-writer.ts";

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
  const { tenantId, options, pointer, readAt } = attempt;
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
  return await publishManifest(attempt, {
    tenantId,
    snapshotId: writer.snapshotId,
    parent: pointer?.current.snapshotId ?? null,
    ancestors: live === undefined || options.rewrite ? [] : lineFrom(live),
    generatedAt: readAt.toISOString(),
    contract: publishedContract,
    list,
    legacy,
    programs: next.programs(),
  });
}

/**
 * P20: publishes the live content without these programs, although the rest of a build is blocked or could not be read. The other
 * programs stay as they are live, whatever the source says of them now. Returns what is live afterwards. Throws `corrupt_document`
 * when the live lists are damaged.
 */
export async function withdraw(
  attempt: Attempt,
  live: Live,
  withdrawn: ReadonlySet<string>,
): Promise<Live | "superseded"> {
  const { context, options, readAt } = attempt;
  const { manifest } = live;
  if (options.dryRun || manifest === undefined) return live;
  const programs = new ProgramTable();
  for (const id of manifest.programs.ids()) {
    const record = manifest.programs.get(id);
    if (record !== undefined && !withdrawn.has(id)) programs.add(id, record);
  }
  if (programs.count === manifest.programs.count) return live;
  const listed = await readListed(context.store, manifest, options.rules.legacyCapacity, context.signal);
  const bodies = listBodies(listed.filter(({ programId }) => !withdrawn.has(programId)));
  const writer = new ResponseWriter(attempt, false);
  const list = await writer.put({ kind: "list" }, bodies.list);
  const legacy = await writer.put({ kind: "legacy" }, bodies.legacy);
  await writer.settled();
  return await publishManifest(attempt, {
    ...manifest,
    snapshotId: writer.snapshotId,
    parent: manifest.snapshotId,
    ancestors: lineFrom(manifest),
    generatedAt: readAt.toISOString(),
    contentAt: manifest.contentAt ?? manifest.generatedAt,
    ...{ list, legacy, programs },
  });
}

/** Stores the manifest and makes its snapshot live in place of the one that the attempt began with; a hold stays (P9). */
async function publishManifest(
  { tenantId, pointer, context }: Attempt,
  next: Omit<Manifest, "generation">,
): Promise<Live | "superseded"> {
  const { store, signal } = context;
  // P91: a run takes the tenants that are back in the source off the list of removed ones, before it builds them.
  if (pointer === undefined && (await readRemovedTenants(store, signal)).has(tenantId))
    throw removedMeanwhile(tenantId);
  const manifest = { ...next, generation: nextGeneration(pointer?.current, context.now()) };
  const body = bytesBody(Buffer.from([...manifestText(manifest)].join("")));
  await context.beforeFirstWrite();
  await putImmutable(store, manifestKey(tenantId, manifest.snapshotId), body, signal);
  const current = {
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

export function removedMeanwhile(tenantId: TenantId): Failure {
  return new Failure(
    "superseded",
    `Tenant ${tenantId} was removed while it was being built; nothing of it is published. ` +
      `What the build wrote goes with another \`tenant remove ${tenantId} --purge\`.`,
  );
}
