import type { Current } from "../../../core/documents/current.ts";
import { type Manifest, readEntry } from "../../../core/documents/manifest.ts";
import { forEachBounded } from "../../../core/ground/bounded-work.ts";
import { Failure, unlessFailed } from "../../../core/ground/failure.ts";
import type { SnapshotId, TenantId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { commit, nextGeneration } from "../../publish/snapshot/commit.ts";
import {
  type PointerVersion,
  readLiveManifest,
  readPublishedPointer,
  responsesOf,
} from "../../publish/snapshot/stored-snapshot.ts";
import { readStoredManifest } from "../../read/snapshots/manifest-head.ts";
import { programLoss } from "../../read/snapshots/program-loss.ts";
import { readTenantSnapshots, rollbackTargets } from "../../read/snapshots/tenant-snapshots.ts";
import type { Shell } from "../../shell/shell.ts";
import { markRollback } from "./put-mark.ts";

export interface RollbackContext extends Pick<Shell, "now" | "randomBytes" | "signal"> {
  readonly store: ObjectStore;
}

export interface Rollback {
  /** `already-live`: the snapshot asked for is the live one; nothing was done. */
  readonly outcome: "rolled-back" | "already-live";
  readonly before: Current;
  readonly after: Current;
  /** The number of programs that partners saw before (`null`: unknown) and see now. */
  readonly programsBefore: number | null;
  readonly programs: number;
}

interface RollbackTarget {
  /** By default the snapshot that was live before the present one. */
  readonly to?: SnapshotId | undefined;
  /** Allows a target with far fewer programs than the live snapshot, or none. */
  readonly allowShrink: boolean;
  /** Why, in the operator's words: the reason of the hold. */
  readonly reason?: string | undefined;
}

/**
 * P14: makes an earlier snapshot live again (`to`, by default the one that was live before the present one)
 * and holds the tenant at it, by one compare-and-swap. The snapshot is read as a whole first.
 *
 * A prune may run at the same time. It marks what it is going to delete as condemned before it rewrites the
 * pointer, and we look for that mark after having read the pointer: so either we see the mark, or our swap
 * fails.
 */
export async function rollback(
  tenantId: TenantId,
  { to, allowShrink, reason }: RollbackTarget,
  context: RollbackContext,
): Promise<Rollback> {
  let asked = to;
  let awayFrom: SnapshotId | undefined;
  return await attempted(tenantId, context, "nothing was rolled back", async (pointer) => {
    const before = pointer.current;
    // The operator meant the snapshot before the one that was live then.
    if (to === undefined && awayFrom !== undefined && awayFrom !== before.snapshotId) {
      throw new Failure(
        "superseded",
        `Snapshot ${before.snapshotId} of tenant ${tenantId} became live meanwhile; nothing was rolled back. ` +
          "Look whether it is all right; if not, say where to go with --to.",
      );
    }
    awayFrom = before.snapshotId;
    if (asked === before.snapshotId) {
      const { programs } = await readLiveManifest(context.store, before, context.signal);
      const counts = { programsBefore: programs.count, programs: programs.count };
      return { outcome: "already-live", before, after: before, ...counts };
    }
    const target = await chosenTarget(pointer, asked, context);
    asked = target;
    const done = await makeLive(pointer, target, { allowShrink, reason }, context);
    return done && { outcome: "rolled-back", before, ...done };
  });
}

const maxAttempts = 4;

/** Reads the pointer and tries to change it, again when somebody else was faster. */
async function attempted<Result>(
  tenantId: TenantId,
  { store, signal }: RollbackContext,
  stands: string,
  attempt: (pointer: PointerVersion) => Promise<Result | undefined>,
): Promise<Result> {
  for (let count = 1; count <= maxAttempts; count += 1) {
    const done = await attempt(await readPublishedPointer(store, tenantId, signal));
    if (done !== undefined) return done;
  }
  throw new Failure(
    "superseded",
    `current.json of tenant ${tenantId} was changed by others ${maxAttempts} times meanwhile; ${stands}. Try again.`,
  );
}

/** The new pointer, or `undefined` when somebody else changed the old one meanwhile. */
async function makeLive(
  pointer: PointerVersion,
  target: SnapshotId,
  { allowShrink, reason }: Pick<RollbackTarget, "allowShrink" | "reason">,
  { store, now, randomBytes, signal }: RollbackContext,
): Promise<Pick<Rollback, "after" | "programsBefore" | "programs"> | undefined> {
  const { tenantId, snapshotId } = pointer.current;
  const stored = await readStoredManifest(store, tenantId, target, signal);
  if (stored === undefined) {
    throw new Failure("not_found", `Snapshot ${target} of tenant ${tenantId} has just been deleted.`);
  }
  // A rollback is the remedy for a damaged live snapshot.
  const live = await unlessFailed(readLiveManifest(store, pointer.current, signal), "corrupt_document");
  if (!allowShrink) assertAlike(live, stored.manifest);
  await assertComplete(store, stored.manifest, signal);
  const at = now().toISOString();
  const next: Current = {
    tenantId,
    generation: nextGeneration(pointer.current, now()),
    snapshotId: target,
    manifestSha256: stored.sha256,
    publishedAt: at,
    hold: { reason: reason ?? `rollback to ${target}`, since: at },
    nonce: Buffer.from(randomBytes(16)).toString("hex"),
  };
  // The mark comes before the swap. If we are killed in between, it says that the snapshot was live, and of a
  // rollback that the pointer knows nothing of.
  const mark = { at, to: target, generation: next.generation };
  await markRollback(store, tenantId, snapshotId, mark, signal);
  if (signal.aborted) throw new Failure("interrupted", "Interrupted; nothing was rolled back.");
  if ((await commit(store, pointer, next)) === "superseded") return undefined;
  return {
    after: next,
    programsBefore: live?.programs.count ?? null,
    programs: stored.manifest.programs.count,
  };
}

/** P14: throws `shrink_guard` for a target that lacks too much. `live`: `undefined` if it is unreadable. */
function assertAlike(live: Manifest | undefined, target: Manifest): void {
  const found = programLoss(live, target);
  if (found === undefined) return;
  const { tenantId, snapshotId, programs } = target;
  const now =
    found.visible === undefined
      ? ""
      : `, and partners see ${found.visible} now, ${found.lost} of which it lacks`;
  throw new Failure(
    "shrink_guard",
    `Snapshot ${snapshotId} of tenant ${tenantId} has ${programs.count} programs${now}; nothing was rolled back. ` +
      `\`snapshot list --tenant ${tenantId}\` shows the others (choose one with --to); if this is right, roll back with --allow-shrink.`,
  );
}

async function chosenTarget(
  pointer: PointerVersion,
  asked: SnapshotId | undefined,
  { store, signal }: RollbackContext,
): Promise<SnapshotId> {
  const { tenantId, snapshotId, hold } = pointer.current;
  const { all, usual } = rollbackTargets(await readTenantSnapshots(store, pointer, signal), pointer.current);
  const rest = all.map((earlier) => earlier.snapshotId).join(", ");
  const choice = rest === "" ? "There is none to roll back to." : `There are, by --to: ${rest}.`;
  // Somebody who repeats the command may not know that it was done, and does not want to go further back
  // (P14).
  if (asked === undefined && hold !== null) {
    throw new Failure(
      "held",
      `A rollback holds tenant ${tenantId} at ${snapshotId} since ${hold.since}; nothing was done. ` +
        `To roll back further, say where to go. ${choice}`,
    );
  }
  const chosen = asked === undefined ? usual : all.find((earlier) => earlier.snapshotId === asked);
  if (chosen !== undefined) return chosen.snapshotId;
  const what =
    asked === undefined
      ? `Tenant ${tenantId} has no snapshot from before the live one`
      : `Tenant ${tenantId} has no snapshot ${asked} that was live once and is kept as a whole`;
  throw new Failure("not_found", `${what}. ${choice}`);
}

/** Objects read side by side; of each only a piece is in memory. */
const maxParallelReads = 16;

/**
 * Throws `corrupt_document` with the first faulty object unless the whole snapshot is there as its manifest
 * says. The content is not judged, since an older version may have published by an older schema.
 */
async function assertComplete(store: ObjectStore, manifest: Manifest, signal: AbortSignal): Promise<void> {
  await forEachBounded(responsesOf(manifest), maxParallelReads, async ({ entry }) => {
    const fault = await readEntry(store, entry, signal, () => {});
    if (fault === undefined) return;
    const what = `Snapshot ${manifest.snapshotId} of tenant ${manifest.tenantId} is not complete`;
    throw new Failure("corrupt_document", `${what}; nothing was rolled back. ${entry.key}: ${fault}.`);
  });
}

/**
 * Ends the tenant's hold by one compare-and-swap. The snapshot stays live, so generation and time of
 * publication stay, too: a generation says which publication is live. The new nonce is what makes concurrent
 * writers lose. `not-held`: there was no hold; nothing was done.
 */
export async function release(tenantId: TenantId, context: RollbackContext) {
  return await attempted(tenantId, context, "the hold stands", async (pointer) => {
    const before = pointer.current;
    if (before.hold === null) return { outcome: "not-held", before, after: before } as const;
    const nonce = Buffer.from(context.randomBytes(16)).toString("hex");
    const after: Current = { ...before, hold: null, nonce };
    const committed = await commit(context.store, pointer, after);
    return committed === "live" ? ({ outcome: "released", before, after } as const) : undefined;
  });
}
