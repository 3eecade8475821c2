import { type Manifest, type ResponseEntry, responseEntry } from "../../../core/manifest.ts";
import { liveKey, liveMarkerKey, livePrefix, type ObjectKey } from "../../../core/object-key.ts";
import { responsesOf } from "../snapshot/stored-snapshot.ts";

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
  for (const { name, entry } of responsesOf(manifest)) {
    yield { key: liveKey(manifest.tenantId, name), entry };
  }
}

/** P27: copies the files whose bytes differ, and removes those of programs that are gone. */
export function liveTreeUpdate(from: Manifest, to: Manifest): LiveTreeUpdate {
  const { tenantId } = to;
  const copies: LiveFile[] = [];
  for (const { name, entry } of responsesOf(to)) {
    if (responseEntry(from, name)?.sha256 !== entry.sha256)
      copies.push({ key: liveKey(tenantId, name), entry });
  }
  const gone = [...from.programs.ids()].filter((programId) => !to.programs.has(programId));
  return { copies, removals: gone.map((programId) => liveKey(tenantId, { kind: "detail", programId })) };
}

/** Whether the tree of that snapshot has a file of this key, its marker included. */
export function isInLiveTree({ tenantId, programs }: Manifest, key: string): boolean {
  const lists = [liveKey(tenantId, { kind: "list" }), liveKey(tenantId, { kind: "legacy" })];
  if ([liveMarkerKey(tenantId), ...lists].some((known) => known === key)) return true;
  // The program id in the key need not be well formed.
  const prefix = `${livePrefix(tenantId)}v1/programs/`;
  if (!key.startsWith(prefix) || !key.endsWith(".json")) return false;
  return programs.has(key.slice(prefix.length, -".json".length));
}
