import { Failure } from "../../../core/failure.ts";
import type { Manifest } from "../../../core/manifest.ts";

/** P55: why a rollback to `target` needs --allow-shrink, if it does. `live` is `undefined` when its manifest cannot be read. */
export function rollbackRefusal(live: Manifest | undefined, target: Manifest): Failure | undefined {
  const found = programLoss(live, target);
  if (found === undefined) return undefined;
  const { tenantId, snapshotId, programs } = target;
  const { seen, lost } = found;
  const now = seen === undefined ? "" : `, and partners see ${seen} now, ${lost} of which it lacks`;
  return new Failure(
    "shrink_guard",
    `Snapshot ${snapshotId} of tenant ${tenantId} has ${programs.count} programs${now}; nothing was rolled back. ` +
      `\`snapshot list --tenant ${tenantId}\` shows the others (choose one with --to); if this is right, roll back with --allow-shrink.`,
  );
}

/** The loss that partners would have if another snapshot replaced the one that they see. */
interface ProgramLoss {
  /** How many programs partners see; `undefined` when that cannot be read. */
  readonly seen: number | undefined;
  /** How many of those the other snapshot lacks. */
  readonly lost: number;
}

/** P55, P121: the loss, if the new snapshot has no program or lacks more than half of the live ones, at least five. */
export function programLoss(live: Manifest | undefined, { programs }: Manifest): ProgramLoss | undefined {
  const ids = [...(live?.programs.ids() ?? [])];
  const lost = ids.filter((id) => !programs.has(id)).length;
  const isCollapse = programs.count === 0 || (lost >= minLost && lost * 2 > ids.length);
  return isCollapse ? { seen: live?.programs.count, lost } : undefined;
}

const minLost = 5;
