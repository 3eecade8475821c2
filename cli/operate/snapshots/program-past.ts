import { unlessFailed } from "../../../core/failure.ts";
import type { SnapshotId } from "../../../core/ids.ts";
import type { Manifest } from "../../../core/manifest.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readStoredManifest, type VouchedSnapshot } from "../../publish/snapshot/stored-snapshot.ts";
import { readLivePeriods } from "./live-periods.ts";

/** A snapshot as support speaks of it. */
export interface SnapshotMoment {
  readonly snapshotId: SnapshotId;
  /** When the source was read for it, RFC 3339. */
  readonly generatedAt: string;
}

/** P48: why partners did not see a program in a snapshot, as far as snapshots are kept. */
export type ProgramPast =
  /** None of the snapshots before has it. `isCut`: there were others, which are not kept or cannot be read. */
  | { readonly kind: "never"; readonly snapshotsExamined: number; readonly isCut: boolean }
  /** `last` had it, and the build of `by` on it took it out. */
  | { readonly kind: "removed"; readonly last: SnapshotMoment; readonly by: SnapshotMoment }
  /** `last` had it, and a rollback took that back. */
  | { readonly kind: "rolled_back"; readonly last: SnapshotMoment; readonly at: string }
  /** Partners saw it later, and first in this snapshot. */
  | { readonly kind: "came_later"; readonly first: SnapshotMoment }
  /** The snapshot is not kept. */
  | { readonly kind: "not_kept" };

/** The snapshot that lacks the program, and when: the live one now, or the one that a request was answered from. */
export interface Lacking {
  readonly snapshotId: SnapshotId | null;
  readonly at: Date;
}

/** Each manifest names all programs of its tenant, so few are read. */
const maxSnapshots = 40;

/**
 * Goes back through the times in which partners saw a snapshot until one has the program. So little is read where it went lately.
 * A snapshot that is damaged or not kept ends the way.
 */
export async function programPast(
  store: ObjectStore,
  live: VouchedSnapshot,
  programId: string,
  lacking: Lacking,
  signal: AbortSignal,
): Promise<ProgramPast> {
  const { current } = live.pointer;
  const read = new Map<SnapshotId, Manifest | undefined>([[live.manifest.snapshotId, live.manifest]]);
  const manifestOf = async (snapshotId: SnapshotId): Promise<Manifest | undefined> => {
    if (read.has(snapshotId)) return read.get(snapshotId);
    const reading = readStoredManifest(store, current.tenantId, snapshotId, signal);
    const manifest = (await unlessFailed(reading, "corrupt_document"))?.manifest;
    read.set(snapshotId, manifest);
    return manifest;
  };
  const { snapshotId, parent, generation } = live.manifest;
  // Most often the last build took it out, which its own manifest and its parent's show.
  if (lacking.snapshotId === snapshotId && parent !== null && generation === current.generation) {
    const last = await manifestOf(parent);
    if (last?.programs.has(programId)) {
      return { kind: "removed", last: moment(last), by: moment(live.manifest) };
    }
  }
  const { periods } = await readLivePeriods(store, live.pointer, signal, maxSnapshots);
  const own = periods.filter((period) => period.snapshotId === lacking.snapshotId);
  const start = own.find(({ from }) => Date.parse(from) <= lacking.at.getTime()) ?? own.at(-1);
  if (start === undefined) return { kind: "not_kept" };
  let after = start;
  const examined = new Set([start.snapshotId]);
  for (const period of periods.slice(periods.indexOf(start) + 1)) {
    const last = after.isAfterGap ? undefined : await manifestOf(period.snapshotId);
    if (last === undefined) break;
    if (last.programs.has(programId)) {
      if (after.how === "rolled back to") return { kind: "rolled_back", last: moment(last), at: after.from };
      const by = await manifestOf(after.snapshotId);
      if (by === undefined) return { kind: "not_kept" };
      return { kind: "removed", last: moment(last), by: moment(by) };
    }
    examined.add(period.snapshotId);
    after = period;
  }
  for (const later of periods.slice(0, periods.indexOf(start)).reverse()) {
    const first = await manifestOf(later.snapshotId);
    if (first?.programs.has(programId)) return { kind: "came_later", first: moment(first) };
  }
  return {
    kind: "never",
    snapshotsExamined: examined.size,
    isCut: after.isAfterGap || after !== periods.at(-1),
  };
}

function moment({ snapshotId, generatedAt }: Manifest): SnapshotMoment {
  return { snapshotId, generatedAt };
}
