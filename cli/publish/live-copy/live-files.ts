import { type Manifest, type ResponseEntry, responseEntry } from "../../../core/manifest.ts";
import { liveKey, liveMarkerKey, livePrefix, type ObjectKey } from "../../../core/object-key.ts";
import { responsesOf } from "../snapshot/stored-snapshot.ts";

/** A file of the live tree, and the response of the snapshot that it is a copy of. */
export interface LiveFile {
  readonly key: ObjectKey;
  readonly entry: ResponseEntry;
}

/** Every file of the snapshot's tree except its marker, the lists first. P27: with `shown`, those whose bytes differ in its tree. */
export function* liveFiles(manifest: Manifest, shown?: Manifest): Generator<LiveFile> {
  for (const { name, entry } of responsesOf(manifest)) {
    if (shown !== undefined && responseEntry(shown, name)?.sha256 === entry.sha256) continue;
    yield { key: liveKey(manifest.tenantId, name), entry };
  }
}

/** P27: the files of programs that the next snapshot does not have any more. */
export function goneFiles({ tenantId, programs }: Manifest, next: Manifest): readonly ObjectKey[] {
  const gone = [...programs.ids()].filter((programId) => !next.programs.has(programId));
  return gone.map((programId) => liveKey(tenantId, { kind: "detail", programId }));
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
