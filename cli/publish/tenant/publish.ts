import type { Current } from "../../../core/documents/current.ts";
import {
  detailEntry,
  lineFrom,
  type Manifest,
  manifestText,
  type ResponseEntry,
} from "../../../core/documents/manifest.ts";
import { forEachBounded } from "../../../core/ground/bounded-work.ts";
import { Failure, unlessFailed } from "../../../core/ground/failure.ts";
import type { ProgramId, TenantId } from "../../../core/ground/ids.ts";
import { maxManifestBytes } from "../../../core/ground/limits.ts";
import { manifestKey } from "../../../core/ground/object-key.ts";
import type { ObjectBody } from "../../../core/store/object-store.ts";
import type { ProgramDetail, RemovedPrograms, RemovingBuild } from "../../../schemas/generated/types.ts";
import { publishedContract } from "../../../schemas/generated/validators-published.ts";
import { type ListedProgram, type ListedPrograms, readBothListed } from "../content/lists.ts";
import { type ListBodies, listedAgain, SnapshotContent } from "../content/snapshot-content.ts";
import { commit, nextGeneration } from "../snapshot/commit.ts";
import { readRemovedTenants } from "../snapshot/removed-tenants.ts";
import {
  dataOf,
  type LiveSnapshot,
  putImmutable,
  responseBytes,
  textBody,
} from "../snapshot/stored-snapshot.ts";
import type { BuildAttempt } from "./build-context.ts";
import { ResponseWriter } from "./response-writer.ts";
import type { SourceReading } from "./source-reading.ts";

/**
 * Stores what the next snapshot needs beside its details, and makes it live. `unchanged`: partners would see
 * no other bytes. `live`: the live manifest, whose files the next snapshot takes over.
 */
export async function publishNext(
  attempt: BuildAttempt,
  live: Manifest | undefined,
  { content, isSame, counts, areListsAnew }: SourceReading,
  writer: ResponseWriter,
): Promise<LiveSnapshot | "unchanged" | "would-publish" | "superseded"> {
  const { options } = attempt;
  if (content === undefined) return "unchanged";
  const entries = await storeLists(writer, content.lists, areListsAnew ? undefined : live);
  if (isSame && entries.list === live?.list && entries.legacy === live.legacy) return "unchanged";
  if (options.dryRun) return "would-publish";
  return await publishManifest(attempt, live, counts.removed > 0, {
    ...entries,
    snapshotId: writer.snapshotId,
    ancestors: live === undefined || options.rewrite ? [] : lineFrom(live),
    contract: publishedContract,
    programs: content.programs,
  });
}

/**
 * P20: publishes the live content without these programs, although the rest of a build is blocked or could
 * not be read. The other programs stay as they are live, to the byte, whatever the source and the settings
 * say of them now. Returns what is live afterwards.
 */
export async function withdraw(
  attempt: BuildAttempt,
  live: LiveSnapshot,
  withdrawn: ReadonlySet<string>,
): Promise<LiveSnapshot | "superseded"> {
  const { options } = attempt;
  const { manifest } = live;
  if (options.dryRun || manifest === undefined) return live;
  const ids = [...manifest.programs.ids()].filter((id) => !withdrawn.has(id));
  if (ids.length === manifest.programs.count) return live;
  const listed = await liveListed(attempt, manifest, ids);
  const content = SnapshotContent.of(
    ids,
    ids.length,
    (id) => listed.get(id),
    (id) => manifest.programs.get(id),
  );
  const writer = new ResponseWriter(attempt, false);
  return await publishManifest(attempt, manifest, true, {
    ...manifest,
    ...(await storeLists(writer, content.lists)),
    snapshotId: writer.snapshotId,
    ancestors: lineFrom(manifest),
    contentAt: manifest.contentAt ?? manifest.generatedAt,
    programs: content.programs,
  });
}

/**
 * The elements of the live lists. P223: where these are damaged, or disagree with their manifest, the
 * elements of the programs that stay are made of the live details. Throws `corrupt_document` if these are,
 * too.
 */
async function liveListed(
  { context, options }: BuildAttempt,
  manifest: Manifest,
  ids: readonly ProgramId[],
): Promise<ListedPrograms> {
  const { store, signal } = context;
  const listed = await unlessFailed(readBothListed(store, manifest, signal), "corrupt_document");
  if (listed !== undefined) return listed;
  const made = new Map<string, ListedProgram>();
  await forEachBounded(ids, maxParallelReads, async (id) => {
    const entry = detailEntry(manifest, id);
    if (entry === undefined) return;
    const detail = await responseBytes(store, entry, signal);
    made.set(
      id,
      listedAgain(dataOf(detail, entry.key) as ProgramDetail, detail, options.rules.legacyCapacity),
    );
  });
  return made;
}

/** Live details read side by side. */
const maxParallelReads = 16;

/** Stores the lists and waits for all writes. P7: an entry of `live` with the same bytes is taken over. */
async function storeLists(writer: ResponseWriter, bodies: ListBodies, live?: Manifest) {
  const entryOf = async (kind: "list" | "legacy"): Promise<ResponseEntry> => {
    const [body, before] = [bodies[kind], live?.[kind]];
    return before?.sha256 === body.sha256 ? before : await writer.put({ kind }, body);
  };
  const entries = { list: await entryOf("list"), legacy: await entryOf("legacy") };
  await writer.settled();
  return entries;
}

/**
 * Stores the manifest and makes its snapshot live in place of `live`, which the attempt began with; a hold
 * stays (P9). `isRemoving`: whether programs of `live` are missing in it.
 */
async function publishManifest(
  { tenantId, pointer, readAt, context, run }: BuildAttempt,
  live: Manifest | undefined,
  isRemoving: boolean,
  content: Omit<Manifest, "tenantId" | "generation" | "parent" | "removed" | "generatedAt">,
): Promise<LiveSnapshot | "superseded"> {
  const { store, signal } = context;
  // P91: a run takes tenants that are back in the source off the list of removed ones before it builds them.
  if (pointer === undefined && (await readRemovedTenants(store, signal)).has(tenantId))
    throw removedMeanwhile(tenantId);
  const generation = nextGeneration(pointer?.current, context.now());
  const manifest = {
    ...content,
    tenantId,
    generation,
    parent: pointer?.current.snapshotId ?? null,
    removed: removedSoFar(pointer?.current, live, isRemoving, content),
    generatedAt: readAt.toISOString(),
  };
  const body = manifestBody(manifest);
  await putImmutable(store, manifestKey(tenantId, manifest.snapshotId), body, signal);
  run.bytesWritten += body.size;
  const current = {
    tenantId,
    generation,
    snapshotId: manifest.snapshotId,
    manifestSha256: body.sha256,
    publishedAt: context.now().toISOString(),
    hold: pointer?.current.hold ?? null,
    nonce: Buffer.from(context.randomBytes(16)).toString("hex"),
  };
  const committed = await commit(store, pointer, current);
  return committed === "superseded" ? committed : { current, manifest };
}

/**
 * P48: the programs that builds took out and that are not back, so that support need not look for them in
 * older snapshots: those that `live` names, and those that this build takes out.
 */
function removedSoFar(
  current: Current | undefined,
  live: Manifest | undefined,
  isRemoving: boolean,
  { snapshotId, programs }: Pick<Manifest, "snapshotId" | "programs">,
): RemovedPrograms {
  const begun = { since: current === undefined ? null : (live?.snapshotId ?? snapshotId), builds: [] };
  // The snapshots that a rollback took back may have had programs that the live one knows nothing of.
  const known = (live?.generation === current?.generation && live?.removed) || begun;
  const before = live?.snapshotId ?? snapshotId;
  const all = isRemoving ? [...(live?.programs.ids() ?? [])] : [];
  const builds: RemovingBuild[] = [];
  let count = 0;
  for (const build of [{ snapshotId, before, programs: all }, ...known.builds]) {
    const gone = build.programs.filter((id) => !programs.has(id));
    const kept = gone.slice(0, maxRemovedIds - count);
    count += kept.length;
    if (kept.length > 0) builds.push({ ...build, programs: kept });
    if (kept.length < gone.length) return { since: build.snapshotId, builds };
  }
  return { since: known.since, builds };
}

/** Each gateway reads the manifest after each change. */
const maxRemovedIds = 200;

/** P218: throws `tenant_too_large` for a manifest that its readers would refuse. */
export function manifestBody(manifest: Manifest, maxBytes = maxManifestBytes): ObjectBody {
  const body = textBody(manifestText(manifest));
  if (body.size <= maxBytes) return body;
  throw new Failure(
    "tenant_too_large",
    `The manifest of ${manifest.programs.count} programs has ${body.size} bytes, more than the ${maxBytes} that its readers take. ` +
      "Nothing was published; divide the tenant, or give its programs shorter ids.",
  );
}

export function removedMeanwhile(tenantId: TenantId): Failure {
  return new Failure(
    "superseded",
    `Tenant ${tenantId} was removed while it was being built; nothing of it is published. ` +
      `What the build wrote goes with another \`tenant remove ${tenantId} --purge\`.`,
  );
}
