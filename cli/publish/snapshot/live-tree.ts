import type { Current } from "../../../core/documents/current.ts";
import { type Manifest, responseEntry } from "../../../core/documents/manifest.ts";
import { forEachBounded } from "../../../core/ground/bounded-work.ts";
import { asFailure, Failure, unlessFailed } from "../../../core/ground/failure.ts";
import { isObjectKey, liveKey, liveMarkerKey, livePrefix } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import type { ObjectStore, PutCondition, PutResult } from "../../../core/store/object-store.ts";
import type { CliSettings, Shell } from "../../shell/shell.ts";
import { deleteBatch } from "./delete-batch.ts";
import { changingMarkerText, completeMarkerText, parseLiveMarker, readLiveMarker } from "./live-marker.ts";
import { readLiveManifest, readPointer, responsesOf, type StoredResponse } from "./stored-snapshot.ts";

/** What a caller knows already, to save requests. */
export interface TreeKnowledge {
  /** Manifests that the caller has read or written; others are read. */
  readonly known?: readonly Manifest[];
  /** Writes every file anew, whatever the marker says. */
  readonly rewrite?: boolean;
  /** False when there is no tree, so that none has to be looked for. */
  readonly mayExist?: boolean;
}

/** Makes a tenant's `live/` folder follow its pointer. Never throws. Returns whether one may exist now. */
export type FollowLive = (store: ObjectStore, live: Current, given?: TreeKnowledge) => Promise<boolean>;

/** P27: no partner needs the folder, so a failure is a line on standard error; the next build mends it. */
export function createFollowLive(
  { stderr, signal }: Pick<Shell, "stderr" | "signal">,
  { liveCopy: isOn }: Pick<CliSettings, "liveCopy">,
): FollowLive {
  return async (store, live, given = {}) => {
    try {
      if (isOn) await keepTree(store, live, given, signal);
      else if (given.mayExist ?? true) await removeTree(store, live, signal);
      return isOn;
    } catch (error) {
      stderr.write(
        `partner-programs: warning: ${livePrefix(live.tenantId)} is not up to date: ${asFailure(error).message} ` +
          "Partners are not affected; the next build mends it.\n",
      );
      return true;
    }
  };
}

/**
 * P27: makes `tenants/<tenant>/live/` show the live snapshot. Its marker says "being changed" before the
 * first file is written, and "complete" after the last. After a complete marker only the files that differ
 * from its snapshot are written, else all.
 *
 * Two builders may do this at once. One that finds the other's marker in place of its own may have written
 * into the other's tree, so it leaves the tree marked as being changed. One gap remains: a builder that is
 * killed between its last file and its last marker may leave an older file behind the other's marker, which a
 * build with `--rewrite` mends.
 */
async function keepTree(
  store: ObjectStore,
  live: Current,
  { known = [], rewrite = false }: TreeKnowledge,
  signal: AbortSignal,
): Promise<void> {
  const { tenantId, snapshotId, manifestSha256 } = live;
  const marker = await readLiveMarker(store, tenantId, signal);
  const shown = rewrite ? undefined : parseLiveMarker(marker ?? "", tenantId);
  if (shown?.snapshotId === snapshotId && shown.manifestSha256 === manifestSha256) return;
  // The snapshot may be live through one that was built on it, whose builder keeps the tree.
  const pointer = await readPointer(store, tenantId, signal);
  if (pointer?.current.snapshotId !== snapshotId) return;
  const manifestOf = async (wanted: Pick<Current, "tenantId" | "snapshotId" | "manifestSha256">) =>
    known.find((manifest) => manifest.snapshotId === wanted.snapshotId) ??
    (await readLiveManifest(store, wanted, signal));
  const to = await manifestOf(live);
  // The snapshot that the tree shows may have been pruned.
  const from = shown && (await unlessFailed(manifestOf({ ...shown, tenantId }), "corrupt_document"));
  const mark = (text: string, condition?: PutCondition): Promise<PutResult> =>
    store.put(liveMarkerKey(tenantId), bytesBody(Buffer.from(text)), { condition });
  const begun = await mark(changingMarkerText(live));
  if (begun.kind === "refused") return;
  // P174: what a killed build left in the tree goes with the next one that writes into it. The folders of
  // snapshots are many, and left to `prune`. Without a marker no build has written here.
  if (marker !== undefined) await store.tidy(livePrefix(tenantId), { signal });
  await writeTree(from, to, store, signal);
  const complete = completeMarkerText(live, to);
  const ended = await mark(complete, { kind: "match", etag: begun.etag });
  // P198: the refused write may be our own.
  if (ended.kind === "stored" || (await readLiveMarker(store, tenantId, signal)) === complete) return;
  await mark(changingMarkerText(live));
}

/** `from`: the snapshot whose files are there; `undefined`: nothing that is there can be relied on. */
async function writeTree(
  from: Manifest | undefined,
  to: Manifest,
  store: ObjectStore,
  signal: AbortSignal,
): Promise<void> {
  const { tenantId, programs } = to;
  if (from === undefined) {
    const own = new Set<string>([liveMarkerKey(tenantId)]);
    for (const { name } of responsesOf(to)) own.add(liveKey(tenantId, name));
    await deleteFiles(store, tenantId, own, signal);
  } else {
    const gone = [...from.programs.ids()].filter((programId) => !programs.has(programId));
    const keys = gone.map((programId) => liveKey(tenantId, { kind: "detail", programId }));
    if (keys.length > 0) await store.delete(keys, { signal });
  }
  await forEachBounded(missingResponses(from, to), maxParallelCopies, async ({ name, entry }) => {
    const { kind } = await store.copy(entry.key, liveKey(tenantId, name), { signal });
    if (kind === "missing") throw new Failure("corrupt_document", `${entry.key} is missing.`);
  });
}

function* missingResponses(from: Manifest | undefined, to: Manifest): Generator<StoredResponse> {
  for (const response of responsesOf(to)) {
    const there = from && responseEntry(from, response.name);
    if (there?.sha256 !== response.entry.sha256) yield response;
  }
}

/** Copies under way at a time. */
const maxParallelCopies = 16;

/** P27: deletes the marker first, so that no build takes a tree that is half gone for a whole one. */
async function removeTree(store: ObjectStore, { tenantId }: Current, signal: AbortSignal): Promise<void> {
  for await (const _ of store.list(livePrefix(tenantId), { signal })) {
    await store.delete([liveMarkerKey(tenantId)], { signal });
    return await deleteFiles(store, tenantId, new Set(), signal);
  }
}

/** Deletes the files of the tree but those to be kept. Names that no object can have stay. */
async function deleteFiles(
  store: ObjectStore,
  tenantId: Current["tenantId"],
  kept: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<void> {
  const batch = deleteBatch(store, false, signal);
  for await (const { key, size } of store.list(livePrefix(tenantId), { signal })) {
    if (!kept.has(key) && isObjectKey(key)) await batch.add(key, size);
  }
  await batch.flush();
}
