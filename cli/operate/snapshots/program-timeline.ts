import { forEachBounded } from "../../../core/bounded-work.ts";
import { asFailure } from "../../../core/failure.ts";
import type { ProgramId, SnapshotId, TenantId } from "../../../core/ids.ts";
import { detailEntry, type ResponseEntry } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { dataOf, responseBytes } from "../../publish/snapshot/stored-response.ts";
import { readStoredManifest } from "../../publish/snapshot/stored-snapshot.ts";
import type { LivePeriod } from "./live-periods.ts";
import { type ProgramChange, programChanges } from "./program-changes.ts";

/** Something that partners saw happen to a program. */
export interface TimelineEntry {
  /** The period that began then. */
  readonly period: LivePeriod;
  /** The period before; `null` when nothing is known of it. */
  readonly before: LivePeriod | null;
  readonly what:
    | { readonly kind: "added" | "removed" }
    | { readonly kind: "changed"; readonly changes: readonly ProgramChange[] }
    /** Already there in the oldest snapshot that is kept. */
    | { readonly kind: "oldest" }
    /** One of the two versions cannot be read, and why. */
    | { readonly kind: "unreadable"; readonly reason: string };
}

export interface ProgramTimeline {
  /** Newest first. */
  readonly entries: readonly TimelineEntry[];
  /** The periods that were looked at, newest first. */
  readonly periods: readonly LivePeriod[];
  /** How many older periods were not looked at. */
  readonly older: number;
}

/** The most manifests to read, and the most entries to show. */
export interface TimelineBounds {
  readonly maxManifests: number;
  readonly maxEntries: number;
}

/** Whole manifests in memory at a time. */
const maxParallelReads = 4;

/**
 * P72: each stored change of a program, with before and after. The manifests tell by digest where it changed, so only the bodies
 * that did are read, and each is checked against its digest.
 */
export async function programTimeline(
  store: ObjectStore,
  program: { readonly tenantId: TenantId; readonly programId: ProgramId },
  periods: readonly LivePeriod[],
  { maxManifests, maxEntries }: TimelineBounds,
  signal: AbortSignal,
): Promise<ProgramTimeline> {
  const looked = periods.slice(0, maxManifests);
  // The one before the last tells whether that changed anything.
  const wanted = new Set(periods.slice(0, maxManifests + 1).map(({ snapshotId }) => snapshotId));
  const versions = await readVersions(store, program, wanted, signal);
  const entries: TimelineEntry[] = [];
  for (const [at, period] of looked.entries()) {
    const before = periods[at + 1] ?? null;
    const what = await happened(store, versions, period, before, signal);
    if (what === undefined) continue;
    entries.push({ period, before, what });
    if (entries.length === maxEntries) {
      return { entries, periods: looked.slice(0, at + 1), older: periods.length - at - 1 };
    }
  }
  return { entries, periods: looked, older: periods.length - looked.length };
}

/** What a snapshot has of the program: a response, nothing (`null`), or why that is not known. */
type Version = ResponseEntry | null | { readonly reason: string };

async function readVersions(
  store: ObjectStore,
  { tenantId, programId }: { readonly tenantId: TenantId; readonly programId: ProgramId },
  wanted: ReadonlySet<SnapshotId>,
  signal: AbortSignal,
): Promise<ReadonlyMap<SnapshotId, Version>> {
  const versions = new Map<SnapshotId, Version>();
  await forEachBounded([...wanted], maxParallelReads, async (snapshotId) => {
    versions.set(snapshotId, { reason: `Snapshot ${snapshotId} is not kept any more.` });
    try {
      const stored = await readStoredManifest(store, tenantId, snapshotId, signal);
      if (stored !== undefined) versions.set(snapshotId, detailEntry(stored.manifest, programId) ?? null);
    } catch (error) {
      versions.set(snapshotId, { reason: damage(error) });
    }
  });
  return versions;
}

async function happened(
  store: ObjectStore,
  versions: ReadonlyMap<SnapshotId, Version>,
  period: LivePeriod,
  before: LivePeriod | null,
  signal: AbortSignal,
): Promise<TimelineEntry["what"] | undefined> {
  const after = versions.get(period.snapshotId) ?? null;
  const earlier = before === null ? null : (versions.get(before.snapshotId) ?? null);
  for (const version of [after, earlier]) {
    if (version !== null && "reason" in version) return { kind: "unreadable", reason: version.reason };
  }
  if (before === null) return after === null ? undefined : { kind: "oldest" };
  const [old, young] = [entryOf(earlier), entryOf(after)];
  if (old?.sha256 === young?.sha256) return undefined;
  if (old === null) return { kind: "added" };
  if (young === null) return { kind: "removed" };
  try {
    const [data, next] = await Promise.all(
      [old, young].map(async (entry) => dataOf(await responseBytes(store, entry, signal), entry.key)),
    );
    return { kind: "changed", changes: programChanges(data, next) };
  } catch (error) {
    return { kind: "unreadable", reason: damage(error) };
  }
}

function entryOf(version: Version): ResponseEntry | null {
  return version !== null && "sha256" in version ? version : null;
}

/** Why the document cannot be read. Throws for a failure of the store. */
function damage(error: unknown): string {
  const { code, message } = asFailure(error);
  if (code !== "corrupt_document") throw error;
  return message;
}
