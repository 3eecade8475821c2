import type { PublishedSnapshot } from "../../operate/snapshots/tenant-snapshots.ts";

/** The snapshots that a page shows of a tenant's, which come newest first: a page is read by a person. */
export function newest(published: readonly PublishedSnapshot[]): readonly PublishedSnapshot[] {
  return published.slice(0, maxSnapshots);
}

const maxSnapshots = 20;
