import { forEachBounded } from "../../../core/bounded-work.ts";
import type { Current } from "../../../core/current.ts";
import { asFailure } from "../../../core/failure.ts";
import type { SnapshotId, TenantId } from "../../../core/ids.ts";
import { detailEntry, type Manifest, type ResponseEntry } from "../../../core/manifest.ts";
import { currentKey, isObjectKey, liveMarkerKey, livePrefix, manifestKey } from "../../../core/object-key.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { faultText, readEntry } from "../../../core/read-entry.ts";
import { isInLiveTree, liveFiles } from "../../publish/live-copy/live-files.ts";
import { type LiveMarker, readLiveMarker } from "../../publish/live-copy/live-marker.ts";
import { readLiveManifest, readPointer } from "../../publish/snapshot/live-snapshot.ts";
import { type Finding, type FindingCode, FindingLog } from "./finding.ts";
import { ListAgreement, type ReportDisagreement } from "./list-agreement.ts";

export interface TenantVerification {
  readonly tenantId: TenantId;
  /** `unpublished`: there is no pointer, so partners get nothing and nothing can be wrong. */
  readonly outcome: "clean" | "findings" | "unpublished";
  readonly snapshotId: SnapshotId | null;
  readonly generation: number | null;
  readonly programs: number | null;
  /** Objects that the snapshot consists of, its manifest and the pointer counted; all were read. */
  readonly objects: number;
  readonly bytes: number;
  readonly findings: readonly Finding[];
  /** Findings beyond those in `findings`. */
  readonly findingsOmitted: number;
}

/** Objects read side by side; each is in memory as a whole while it is looked at. */
const maxParallelReads = 16;

/**
 * Checks every object of the live snapshot against the manifest, its schema and the other responses, then the copies for people.
 * Throws only when the store does not answer or the run is interrupted; faults of the data are in the result.
 */
export async function verifyTenant(
  store: ObjectStore,
  tenantId: TenantId,
  isLiveTreeWanted: boolean,
  signal: AbortSignal,
): Promise<TenantVerification> {
  for (let reading = 1; ; reading += 1) {
    const result = await verifyOnce(store, tenantId, isLiveTreeWanted, signal);
    if (result.outcome !== "findings" || reading === maxReadings) return result;
    // A snapshot that was replaced meanwhile may be deleted by a prune; that is no fault of the one that is live now.
    const now = await readPointer(store, tenantId, signal).catch(() => undefined);
    if (now === undefined || now.current.snapshotId === result.snapshotId) return result;
  }
}

const maxReadings = 3;

async function verifyOnce(
  store: ObjectStore,
  tenantId: TenantId,
  isLiveTreeWanted: boolean,
  signal: AbortSignal,
): Promise<TenantVerification> {
  const log = new FindingLog(tenantId);
  const nothing = { tenantId, snapshotId: null, generation: null, programs: null, objects: 0, bytes: 0 };
  const pointerKey = currentKey(tenantId);
  const pointer = await orFinding(log, "pointer_damaged", pointerKey, readPointer(store, tenantId, signal));
  if (pointer === damaged) return { ...nothing, ...outcome(log) };
  if (pointer === undefined) return { ...nothing, ...outcome(log), outcome: "unpublished" };

  const { current } = pointer;
  const { snapshotId, generation } = current;
  const key = manifestKey(tenantId, snapshotId);
  const manifest = await orFinding(log, "manifest_damaged", key, readLiveManifest(store, current, signal));
  if (manifest === damaged) return { ...nothing, snapshotId, generation, ...outcome(log) };
  if (manifest.generation > generation)
    log.add("manifest_damaged", key, `its generation ${manifest.generation} is above the pointer's`);
  const bytes = await verifyResponses(store, manifest, log, signal);
  await verifyLiveTree(store, current, manifest, isLiveTreeWanted, log, signal);
  const programs = manifest.programs.count;
  return { tenantId, snapshotId, generation, programs, objects: programs + 4, bytes, ...outcome(log) };
}

async function verifyResponses(
  store: ObjectStore,
  manifest: Manifest,
  log: FindingLog,
  signal: AbortSignal,
): Promise<number> {
  const agreement = new ListAgreement(manifest);
  const { list, legacy, programs } = manifest;
  let bytes = 0;
  const read = async (entry: ResponseEntry): Promise<Buffer | undefined> => {
    const pieces: Buffer[] = [];
    const fault = await readEntry(store, entry, signal, (piece) => pieces.push(piece));
    bytes += entry.size;
    if (fault === undefined) return Buffer.concat(pieces);
    log.add("object_damaged", entry.key, faultText(entry, fault));
    return undefined;
  };
  const listed = await read(list);
  if (listed !== undefined) agreement.list(listed, reportOf(log, list));
  const listedAgain = await read(legacy);
  if (listedAgain !== undefined) agreement.legacy(listedAgain, reportOf(log, legacy));
  await forEachBounded(programs.ids(), maxParallelReads, async (id) => {
    const entry = detailEntry(manifest, id);
    if (entry === undefined) return;
    const json = await read(entry);
    if (json !== undefined) agreement.detail(id, json, reportOf(log, entry));
  });
  return bytes;
}

function reportOf(log: FindingLog, { key }: ResponseEntry): ReportDisagreement {
  return (kind, message) =>
    log.add(kind === "invalid" ? "response_invalid" : "responses_disagree", key, message);
}

const damaged = Symbol("damaged");

/** Turns a damaged object, such as a link in its place, into a finding, so that the others are checked, too. */
async function orFinding<Result>(
  log: FindingLog,
  code: FindingCode,
  key: string,
  reading: Promise<Result>,
): Promise<Result | typeof damaged> {
  try {
    return await reading;
  } catch (error) {
    const failure = asFailure(error);
    if (failure.code !== "corrupt_document") throw error;
    log.add(code, key, failure.message.replace(/\.$/, ""));
    return damaged;
  }
}

function outcome(log: FindingLog): Pick<TenantVerification, "outcome" | "findings" | "findingsOmitted"> {
  return {
    outcome: log.total === 0 ? "clean" : "findings",
    findings: log.kept,
    findingsOmitted: log.total - log.kept.length,
  };
}

/**
 * P29: checks the tree for people against the live snapshot: its marker, the digest of each file, and foreign files. A tree that
 * is not wanted (`isWanted`) is checked if it exists.
 */
async function verifyLiveTree(
  store: ObjectStore,
  current: Current,
  manifest: Manifest,
  isWanted: boolean,
  log: FindingLog,
  signal: AbortSignal,
): Promise<void> {
  const { tenantId } = current;
  const markerKey = liveMarkerKey(tenantId);
  const marker = await orFinding(
    log,
    "live_file_damaged",
    markerKey,
    readLiveMarker(store, tenantId, signal),
  );
  if (marker === damaged || (marker === "missing" && !isWanted)) return;
  const fault = markerFault(marker, current);
  // The files need no check, since the next build writes all of them anew.
  if (fault !== undefined) return log.add("live_tree_outdated", markerKey, fault);
  await forEachBounded(liveFiles(manifest), maxParallelReads, async ({ key, entry }) => {
    const copy = { ...entry, key };
    const found = await orFinding(
      log,
      "live_file_damaged",
      key,
      readEntry(store, copy, signal, () => {}),
    );
    if (found !== undefined && found !== damaged) log.add("live_file_damaged", key, faultText(copy, found));
  });
  await orFinding(log, "live_file_foreign", livePrefix(tenantId), findForeign(store, manifest, log, signal));
}

async function findForeign(
  store: ObjectStore,
  manifest: Manifest,
  log: FindingLog,
  signal: AbortSignal,
): Promise<void> {
  for await (const { key } of store.list(livePrefix(manifest.tenantId), { signal })) {
    if (isInLiveTree(manifest, key)) continue;
    const how = isObjectKey(key) ? "" : "; no build can delete a file of this name, so delete it yourself";
    log.add("live_file_foreign", key, `it belongs to no program of the live snapshot${how}`);
  }
}

function markerFault(marker: LiveMarker | "missing" | "foreign", live: Current): string | undefined {
  if (marker === "missing") return "it is missing, so nobody knows what the folder shows";
  if (marker === "foreign") return "its first lines do not say what the folder shows";
  if (!marker.isComplete) return "the folder is being changed, or whoever changed it was ended";
  if (marker.snapshotId === live.snapshotId && marker.manifestSha256 === live.manifestSha256)
    return undefined;
  return `the folder shows snapshot ${marker.snapshotId}, and ${live.snapshotId} is live`;
}
