import type { Manifest } from "../../../core/manifest.ts";

/** What partners would lose who see one snapshot and are to see another. */
export interface Collapse {
  /** How many programs they see; `undefined` where that cannot be read. */
  readonly seen: number | undefined;
  /** How many of those the other one lacks. */
  readonly lost: number;
}

/** P55, P121: if the other one has no program at all, or lacks more than half of those that partners see, five at least. */
export function collapse(live: Manifest | undefined, { programs }: Manifest): Collapse | undefined {
  const ids = [...(live?.programs.ids() ?? [])];
  const lost = ids.filter((id) => !programs.has(id)).length;
  const isCollapse = programs.count === 0 || (lost >= minLost && lost * 2 > ids.length);
  return isCollapse ? { seen: live?.programs.count, lost } : undefined;
}

const minLost = 5;
