import type { TenantId } from "../../../core/ids.ts";
import { detailEntry, type Manifest, type ResponseEntry } from "../../../core/manifest.ts";
import { liveKey, liveMarkerKey, livePrefix, type ObjectKey } from "../../../core/object-key.ts";

/** A file of the live tree, and the response of the snapshot that it is a copy of. */
export interface LiveFile {
  readonly key: ObjectKey;
  readonly entry: ResponseEntry;
}

/** The changes that turn the tree of one snapshot into that of another. */
export interface LiveTreeUpdate {
  readonly copies: readonly LiveFile[];
  readonly removals: readonly ObjectKey[];
}

/** Every file of the snapshot's tree except its marker: the lists, then the details. */
export function* liveFiles(manifest: Manifest): Generator<LiveFile> {
  const { tenantId, list, legacy, programs } = manifest;
  yield { key: liveKey(tenantId, { kind: "list" }), entry: list };
  yield { key: liveKey(tenantId, { kind: "legacy" }), entry: legacy };
  for (const programId of programs.ids()) {
    const entry = detailEntry(manifest, programId);
    if (entry !== undefined) yield { key: liveKey(tenantId, { kind: "detail", programId }), entry };
  }
}

/** P27: copies the files whose bytes differ, and removes those of programs that are gone. */
export function liveTreeUpdate(from: Manifest, to: Manifest): LiveTreeUpdate {
  const copies = [...liveFiles(to)].filter(({ key, entry }) => digestBefore(from, key) !== entry.sha256);
  const removals: ObjectKey[] = [];
  for (const programId of from.programs.ids()) {
    if (!to.programs.has(programId)) removals.push(liveKey(to.tenantId, { kind: "detail", programId }));
  }
  return { copies, removals };
}

/** Whether the tree of that snapshot has a file of this key, its marker included. */
export function isInLiveTree(manifest: Manifest, key: string): boolean {
  const { tenantId, programs } = manifest;
  if (key === liveMarkerKey(tenantId)) return true;
  if (key === liveKey(tenantId, { kind: "list" }) || key === liveKey(tenantId, { kind: "legacy" }))
    return true;
  const programId = programIdOf(tenantId, key);
  return programId !== undefined && programs.has(programId);
}

function digestBefore({ tenantId, list, legacy, programs }: Manifest, key: ObjectKey): string | undefined {
  if (key === liveKey(tenantId, { kind: "list" })) return list.sha256;
  if (key === liveKey(tenantId, { kind: "legacy" })) return legacy.sha256;
  return programs.get(programIdOf(tenantId, key) ?? "")?.sha256;
}

/** The program id in the key of a detail. It need not be well formed. */
function programIdOf(tenantId: TenantId, key: string): string | undefined {
  const prefix = `${livePrefix(tenantId)}v1/programs/`;
  return key.startsWith(prefix) && key.endsWith(".json")
    ? key.slice(prefix.length, -".json".length)
    : undefined;
}
