import { Failure } from "../../../core/failure.ts";
import type { Manifest } from "../../../core/manifest.ts";
import { collapse } from "../../publish/snapshot/collapse.ts";

/**
 * P55: why an older snapshot may not take the place of the live one unasked, if so. `live` is `undefined` when its manifest
 * cannot be read.
 */
export function rollbackRefusal(live: Manifest | undefined, target: Manifest): Failure | undefined {
  const found = collapse(live, target);
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
