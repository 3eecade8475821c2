import type { Current } from "../../../core/documents/current.ts";
import type { Manifest } from "../../../core/documents/manifest.ts";
import { unlessFailed } from "../../../core/ground/failure.ts";
import { isSnapshotId, type TenantId } from "../../../core/ground/ids.ts";
import { liveMarkerKey } from "../../../core/ground/object-key.ts";
import { readBody } from "../../../core/store/object-body.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";

/** What a complete tree shows: `key: value` lines for programs, up to a blank one, in `live/README.txt`. */
export type ShownSnapshot = Pick<Current, "snapshotId" | "manifestSha256">;

const format = "partner-programs/live@1";
const maxLiveMarkerBytes = 64 * 1024;

/** Parses a marker. `undefined` when the tree is being changed, another tenant's, or edited beyond use. */
export function parseLiveMarker(text: string, tenantId: TenantId): ShownSnapshot | undefined {
  const head = text.slice(0, text.search(/^$/m));
  const values = new Map(head.split("\n").map((line) => line.split(": ", 2) as [string, string]));
  const snapshotId = values.get("snapshot") ?? "";
  const manifestSha256 = values.get("manifest") ?? "";
  const isOurs = values.get("format") === format && values.get("tenant") === tenantId;
  const isComplete = values.get("state") === "complete" && /^[0-9a-f]{64}$/.test(manifestSha256);
  return isOurs && isComplete && isSnapshotId(snapshotId) ? { snapshotId, manifestSha256 } : undefined;
}

/** The text of README.txt when the tree shows the snapshot that `current` names. */
export function completeMarkerText(current: Current, manifest: Manifest): string {
  const { tenantId, snapshotId, publishedAt, generation } = current;
  const count = manifest.programs.count;
  return `${head(current, "complete")}
What partners of tenant ${tenantId} get, as plain files named like the URLs that they answer:

  v1/programs.json                the list
  v1/programs/<program>.json      each program
  api/v1/partner/programs.json    the list of the deprecated address

Snapshot ${snapshotId}, generation ${generation}
Programs            ${count}
Database read at    ${manifest.generatedAt}
Published at        ${publishedAt}

${notice}`;
}

/** The text while files are being changed, when none of them can be relied on. */
export function changingMarkerText(current: Current): string {
  return `${head(current, "being changed")}
The files of tenant ${current.tenantId} in this folder are being changed, or whoever changed them was ended. They may belong
to several snapshots. The next build puts them right; \`partner-programs snapshot build\` starts one.

${notice}`;
}

const notice = `This folder is for people. Gateways never read it: partners get the files under snapshots/, which current.json
leads to. Do not edit anything here. In a folder on disk these are the same files by a second name, so they are read-only:
who forces a change into one damages what partners get. \`partner-programs snapshot build --rewrite\` writes all of it anew.
`;

const head = ({ tenantId, snapshotId, manifestSha256 }: Current, state: string): string => `format: ${format}
state: ${state}
tenant: ${tenantId}
snapshot: ${snapshotId}
manifest: ${manifestSha256}
`;

/** The text of the tree's marker; `undefined` when there is none. */
export async function readLiveMarker(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<string | undefined> {
  const key = liveMarkerKey(tenantId);
  const found = await store.get(key, { signal });
  if (found.kind !== "object") return undefined;
  const text = await unlessFailed(readBody(found, maxLiveMarkerBytes, key), "corrupt_document");
  return text?.toString() ?? "";
}
