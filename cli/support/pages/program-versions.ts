import { forEachBounded } from "../../../core/bounded-work.ts";
import { unlessFailed } from "../../../core/failure.ts";
import type { ProgramId, SnapshotId, TenantId } from "../../../core/ids.ts";
import { detailEntry, type ResponseEntry } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readLivePeriods } from "../../operate/snapshots/live-periods.ts";
import { type ProgramChange, programChanges } from "../../operate/snapshots/program-changes.ts";
import { readPointer } from "../../publish/snapshot/live-snapshot.ts";
import { dataOf, responseBytes } from "../../publish/snapshot/stored-response.ts";
import { readStoredManifest } from "../../publish/snapshot/stored-snapshot.ts";

/** A time in which partners saw the same of a program. */
export interface ProgramVersion {
  /** The snapshots that were live in it, the first of them first. */
  readonly snapshotIds: readonly SnapshotId[];
  /** RFC 3339. */
  readonly from: string;
  /** `null`: until now. */
  readonly until: string | null;
  /** What partners got: a document, 404 (`null`), or nobody knows. */
  readonly entry: ResponseEntry | null | "unknown";
  readonly isRollback: boolean;
}

export interface ProgramVersions {
  /** Newest first; empty when nothing was ever published. */
  readonly versions: readonly ProgramVersion[];
  /** Whether more was published before the oldest of these than was looked at. */
  readonly hasOlder: boolean;
}

/** Each manifest names all programs of its tenant, so few are read. */
const maxPeriods = 40;
const maxParallelReads = 4;

/** P72: a program's versions, as far as snapshots are kept. The manifests tell by digest where it changed; no body is read. */
export async function programVersions(
  store: ObjectStore,
  tenantId: TenantId,
  programId: ProgramId,
  signal: AbortSignal,
): Promise<ProgramVersions> {
  const pointer = await readPointer(store, tenantId, signal);
  if (pointer === undefined) return { versions: [], hasOlder: false };
  const { periods } = await readLivePeriods(store, pointer, signal);
  const looked = periods.slice(0, maxPeriods);
  const entries = new Map<SnapshotId, ProgramVersion["entry"]>();
  await forEachBounded(
    [...new Set(looked.map(({ snapshotId }) => snapshotId))],
    maxParallelReads,
    async (id) => {
      // A damaged manifest tells nothing; neither does one that was pruned meanwhile.
      const stored = await unlessFailed(readStoredManifest(store, tenantId, id, signal), "corrupt_document");
      entries.set(id, stored === undefined ? "unknown" : (detailEntry(stored.manifest, programId) ?? null));
    },
  );
  const versions: ProgramVersion[] = [];
  for (const { snapshotId, from, until, how } of looked.toReversed()) {
    const entry = entries.get(snapshotId) ?? null;
    const last = versions.at(-1);
    if (last !== undefined && digestOf(last.entry) === digestOf(entry)) {
      versions[versions.length - 1] = { ...last, until, snapshotIds: [...last.snapshotIds, snapshotId] };
    } else {
      const isRollback = how === "rolled back to";
      versions.push({ snapshotIds: [snapshotId], from, until, entry, isRollback });
    }
  }
  return { versions: versions.reverse(), hasOlder: periods.length > maxPeriods };
}

function digestOf(entry: ProgramVersion["entry"]): string | null {
  return entry === null || entry === "unknown" ? entry : entry.sha256;
}

/** The document of a version. Throws `corrupt_document`. */
export async function versionDocument(
  store: ObjectStore,
  { entry }: ProgramVersion,
  signal: AbortSignal,
): Promise<unknown> {
  if (entry === null || entry === "unknown") return undefined;
  return dataOf(await responseBytes(store, entry, signal), entry.key);
}

/** What turned one version into the other, or why that cannot be shown. */
export async function versionChanges(
  store: ObjectStore,
  before: ProgramVersion,
  after: ProgramVersion,
  signal: AbortSignal,
): Promise<readonly ProgramChange[] | string> {
  if (before.entry === "unknown" || after.entry === "unknown") {
    return "What partners saw in one of these times is not kept or damaged.";
  }
  const read = (version: ProgramVersion): Promise<unknown> =>
    unlessFailed(versionDocument(store, version, signal), "corrupt_document");
  const [old, young] = [await read(before), await read(after)];
  if (old === undefined && young === undefined) return "Partners got 404 both times.";
  if (old === undefined) return before.entry === null ? "It appeared: partners got 404 before." : damaged;
  if (young === undefined) return after.entry === null ? "It went: partners got 404 from then on." : damaged;
  return programChanges(old, young);
}

const damaged = "One of the two versions is damaged.";
