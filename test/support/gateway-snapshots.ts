import { randomBytes } from "node:crypto";
import { type Current, currentBytes } from "../../core/documents/current.ts";
import { type Manifest, manifestText, type ResponseEntry } from "../../core/documents/manifest.ts";
import { ProgramTable } from "../../core/documents/program-table.ts";
import {
  parseProgramId,
  parseTenantId,
  type SnapshotId,
  snapshotId,
  type TenantId,
} from "../../core/ground/ids.ts";
import { currentKey, manifestKey, type ResponseName, responseKey } from "../../core/ground/object-key.ts";
import { bytesBody, sha256Hex } from "../../core/store/object-body.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";

/** What a test publishes for a tenant. */
export interface SnapshotContent {
  readonly programIds: readonly string[];
  readonly generation?: number;
  /** Marks every body, so that a test can tell whose and which snapshot's bytes it got. */
  readonly mark?: string;
  /** Pads every detail and the list to at least this many bytes. */
  readonly minBytes?: number;
  readonly generatedAt?: string;
  /**
   * The snapshot before this one in its line. Details that did not change stay in its folder, or in the one
   * where they were.
   */
  readonly after?: PublishedSnapshot | undefined;
  /** Further fields of each program: of its list element and detail, and of its detail alone. */
  readonly fields?: (programId: string) => { readonly list?: object; readonly detail?: object };
}

/** What is in the store afterwards. */
export interface PublishedSnapshot {
  readonly tenantId: TenantId;
  readonly snapshotId: SnapshotId;
  readonly generation: number;
  readonly generatedAt: string;
  readonly manifest: Manifest;
  readonly list: Buffer;
  readonly legacy: Buffer;
  readonly details: ReadonlyMap<string, Buffer>;
}

const plain: NonNullable<SnapshotContent["fields"]> = () => ({});

/** Writes a complete snapshot and makes it live, whatever was live before. */
export async function publishSnapshot(
  store: ObjectStore,
  tenant: string,
  content: SnapshotContent,
): Promise<PublishedSnapshot> {
  const tenantId = parseTenantId(tenant);
  const { programIds, generation = 1, mark = tenant, minBytes = 0, fields = plain, after } = content;
  const id = snapshotId(new Date(), randomBytes(4));
  const generatedAt = content.generatedAt ?? new Date().toISOString();
  const padding = { description: `${mark} `.repeat(Math.ceil(minBytes / (mark.length + 1))) };

  async function put(name: ResponseName, value: object): Promise<{ entry: ResponseEntry; bytes: Buffer }> {
    const bytes = Buffer.from(JSON.stringify(value));
    const key = responseKey(tenantId, id, name);
    await store.put(key, bytesBody(bytes));
    return { entry: { key, sha256: sha256Hex(bytes), size: bytes.length }, bytes };
  }

  function listed(programId: string): {
    readonly id: string;
    readonly name: string;
    readonly status: string;
  } {
    return { id: programId, name: `${mark} ${programId}`, status: "active", ...fields(programId).list };
  }

  const programs = new ProgramTable();
  const details = new Map<string, Buffer>();
  for (const text of programIds) {
    const programId = parseProgramId(text);
    const detail = { data: { ...listed(programId), ...padding, ...fields(programId).detail } };
    const before = after?.details.get(programId);
    const kept = after?.manifest.programs.get(programId);
    if (before !== undefined && kept !== undefined && before.equals(Buffer.from(JSON.stringify(detail)))) {
      details.set(programId, before);
      programs.add(programId, kept);
      continue;
    }
    const { entry, bytes } = await put({ kind: "detail", programId }, detail);
    details.set(programId, bytes);
    programs.add(programId, { snapshotId: id, sha256: entry.sha256, size: entry.size });
  }
  const data = programIds.map(listed);
  const list = await put({ kind: "list" }, { data, meta: { count: data.length }, ...padding });
  const legacy = await put(
    { kind: "legacy" },
    {
      success: true,
      programs: data.map(({ name }) => ({ name, capacity: { total: 1, used: 0, remaining: 1 } })),
    },
  );
  const manifest: Manifest = {
    tenantId,
    generation,
    snapshotId: id,
    parent: null,
    ...(after && { ancestors: [after.snapshotId, ...(after.manifest.ancestors ?? [])] }),
    removed: { since: null, builds: [] },
    generatedAt,
    contract: "c0".repeat(32),
    list: list.entry,
    legacy: legacy.entry,
    programs,
  };
  await publishManifest(store, manifest);
  return {
    tenantId,
    snapshotId: id,
    generation,
    generatedAt,
    manifest,
    list: list.bytes,
    legacy: legacy.bytes,
    details,
  };
}

/** What a pointer to the manifest states of it. */
export function manifestDigest(manifest: Manifest): string {
  return sha256Hex(Buffer.from([...manifestText(manifest)].join("")));
}

/** Stores the manifest and points the tenant's pointer at it. */
export async function publishManifest(store: ObjectStore, manifest: Manifest): Promise<void> {
  const bytes = Buffer.from([...manifestText(manifest)].join(""));
  await store.put(manifestKey(manifest.tenantId, manifest.snapshotId), bytesBody(bytes));
  await publishPointer(store, {
    tenantId: manifest.tenantId,
    generation: manifest.generation,
    snapshotId: manifest.snapshotId,
    manifestSha256: manifestDigest(manifest),
  });
}

export type PointerContent = Pick<Current, "tenantId" | "generation" | "snapshotId" | "manifestSha256">;

export function currentOf(pointer: PointerContent): Current {
  const nonce = randomBytes(16).toString("hex");
  return { ...pointer, publishedAt: new Date().toISOString(), hold: null, nonce };
}

export async function publishPointer(store: ObjectStore, pointer: PointerContent): Promise<void> {
  await store.put(currentKey(pointer.tenantId), bytesBody(currentBytes(currentOf(pointer))));
}
