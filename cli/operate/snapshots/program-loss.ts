import type { Manifest } from "../../../core/manifest.ts";

/** The loss that partners would have if another snapshot replaced the one that they see. */
interface ProgramLoss {
  /** How many programs partners see; `undefined` when that cannot be read. */
  readonly seen: number | undefined;
  /** How many of those the other snapshot lacks. */
  readonly lost: number;
}

/** P14, P94: the loss, if the new snapshot has no program or lacks more than half of the live ones, at least five. */
export function programLoss(live: Manifest | undefined, { programs }: Manifest): ProgramLoss | undefined {
  const ids = [...(live?.programs.ids() ?? [])];
  const lost = ids.filter((id) => !programs.has(id)).length;
  const isCollapse = programs.count === 0 || (lost >= minLost && lost * 2 > ids.length);
  return isCollapse ? { seen: live?.programs.count, lost } : undefined;
}

const minLost = 5;
