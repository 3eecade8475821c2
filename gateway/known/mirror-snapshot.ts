import { randomBytes } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../../core/documents/manifest.ts";
import { Failure } from "../../core/ground/failure.ts";
import { maxRegistryBytes } from "../../core/ground/limits.ts";
import { currentKey, manifestKey, type ObjectKey, snapshotsPrefix } from "../../core/ground/object-key.ts";
import { unlessErrno } from "../../core/store/file-store/store-folders.ts";
import { bytesBody, readBody, sha256Hex } from "../../core/store/object-body.ts";
import type { ObjectStore, PutCondition } from "../../core/store/object-store.ts";

type Files = Pick<ObjectStore, "get" | "put" | "listFolders">;

/** Folders of snapshots that were moved away, to be removed or put back. */
export type Aside = ReturnType<typeof createAside>;

/**
 * W189: keeps a pointer after its manifest (W77), then removes folders that the manifest does not name, also
 * while another gateway keeps a newer snapshot in the same folder. Folders are moved away first, and come
 * back if the pointer is another one by then. If the other one writes its pointer later, it finds its
 * manifest gone, since it looks after that, and writes it again. Only older folders are moved, so bodies of a
 * newer snapshot stay. Resolves to whether the copy is as it should be.
 */
export async function writeSnapshot(
  files: Files,
  aside: Aside,
  {
    manifest,
    manifestBytes,
    pointer,
  }: { manifest: Manifest; manifestBytes: Buffer | undefined; pointer: Buffer },
): Promise<boolean> {
  const { tenantId, snapshotId } = manifest;
  const key = manifestKey(tenantId, snapshotId);
  const writeManifest = async (): Promise<boolean> => {
    if (manifestBytes === undefined) return (await files.get(key)).kind === "object";
    return await writeBytes(files, key, sha256Hex(manifestBytes), async () => manifestBytes);
  };
  if (manifestBytes !== undefined) await writeManifest();
  if (!(await writeDocument(files, currentKey(tenantId), pointer))) return false;
  if (!(await writeManifest())) return false;
  for (const name of await unnamedFolders(files, manifest)) await aside.move(name);
  const found = await files.get(currentKey(tenantId));
  const isOwn = found.kind === "object" && pointer.equals(await readBody(found, maxRegistryBytes, key));
  if (!isOwn) await aside.putBack();
  await aside.remove();
  return true;
}

/** W79: false when the copy has a higher revision or generation, of a gateway that shares the folder. */
export async function writeDocument(files: Files, key: ObjectKey, bytes: Buffer): Promise<boolean> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const found = await files.get(key);
    const before = found.kind === "object" ? await readBody(found, maxRegistryBytes, key) : undefined;
    if (before !== undefined && rankOf(before) > rankOf(bytes)) return false;
    if (before?.equals(bytes)) return true;
    const condition: PutCondition =
      found.kind === "object" ? { kind: "match", etag: found.etag } : { kind: "absent" };
    const { kind } = await files.put(key, bytesBody(bytes), { condition });
    if (kind === "stored") return true;
  }
  throw new Failure("store_unavailable", `${key} was replaced by others ${maxAttempts} times.`);
}

/** Writes the bytes unless they are there. */
export async function writeBytes(
  files: Files,
  key: ObjectKey,
  sha256: string,
  read: () => Promise<Buffer>,
): Promise<true> {
  const found = await files.get(key).catch(() => undefined);
  if (found?.kind === "object") {
    const before = await readBody(found, found.size, key).catch(() => Buffer.of());
    if (sha256Hex(before) === sha256) return true;
  }
  await files.put(key, bytesBody(await read()));
  return true;
}

/** Folders of older snapshots that the manifest does not name. The copy must not grow for ever. */
async function unnamedFolders(
  files: Files,
  { tenantId, snapshotId, list, legacy, programs }: Manifest,
): Promise<readonly string[]> {
  const prefix = snapshotsPrefix(tenantId);
  const folderOf = (key: string): string => key.slice(prefix.length).split("/", 1)[0] ?? "";
  const named = new Set<string>([folderOf(list.key), folderOf(legacy.key), ...programs.folders()]);
  const unnamed: string[] = [];
  for await (const name of files.listFolders(prefix)) {
    if (secondOf(name) < secondOf(snapshotId) && !named.has(name)) unnamed.push(name);
  }
  return unnamed;
}

/** An id begins with the second of its snapshot. Two ids of one second do not sort. */
function secondOf(snapshotId: string): string {
  return snapshotId.slice(0, "20260101T000000Z".length);
}

/** A gateway that is killed leaves the folder `removed-...`, which the next one that starts removes. */
export function createAside(folder: string, { tenantId }: Pick<Manifest, "tenantId">) {
  const from = join(folder, snapshotsPrefix(tenantId));
  const to = join(folder, `removed-${randomBytes(8).toString("hex")}`);
  const moved: string[] = [];
  return {
    async move(name: string): Promise<void> {
      await mkdir(to, { recursive: true });
      // Another gateway may have moved it.
      await unlessErrno(rename(join(from, name), join(to, name)), "ENOENT");
      moved.push(name);
    },
    async putBack(): Promise<void> {
      // The other gateway may have written its manifest anew.
      for (const name of moved)
        await unlessErrno(rename(join(to, name), join(from, name)), "ENOENT", "ENOTEMPTY", "EEXIST");
    },
    remove: () => rm(to, { recursive: true, force: true }),
  };
}

/** The registry's revision or the pointer's generation; 0 for what is none of ours. */
function rankOf(bytes: Buffer): number {
  try {
    const { revision, generation }: { revision?: number; generation?: number } = JSON.parse(bytes.toString());
    return revision ?? generation ?? 0;
  } catch {
    return 0;
  }
}

const maxAttempts = 5;
