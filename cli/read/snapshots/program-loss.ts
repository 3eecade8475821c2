import type { Manifest } from "../../../core/documents/manifest.ts";

/**
 * P14, P94: the loss that partners would have if another snapshot replaced the one that they see; `undefined`
 * unless that one has no program or lacks more than half of the live ones, at least five. `visible`: how many
 * programs partners see, if that can be read. `lost`: how many of those the other snapshot lacks.
 */
export function programLoss(live: Manifest | undefined, { programs }: Manifest) {
  const ids = [...(live?.programs.ids() ?? [])];
  const lost = ids.filter((id) => !programs.has(id)).length;
  const isCollapse = programs.count === 0 || (lost >= minLost && lost * 2 > ids.length);
  return isCollapse ? { visible: live?.programs.count, lost } : undefined;
}

const minLost = 5;
