import { randomBytes, randomUUID } from "node:crypto";
import { forEachBounded } from "../../core/bounded-work.ts";
import { type Current, currentBytes } from "../../core/current.ts";
import { parseProgramId, parseTenantId, type SnapshotId, snapshotId } from "../../core/ids.ts";
import { type Manifest, manifestText } from "../../core/manifest.ts";
import { bytesBody } from "../../core/object-body.ts";
import { currentKey, manifestKey, type ResponseName, responseKey } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { ProgramTable } from "../../core/program-table.ts";
import { publishedContract } from "../../schemas/generated/validators-published.ts";

/** Publishes a tenant with this list, of any size, and these details; gives the snapshot's name. */
export async function publishTenant(
  store: ObjectStore,
  tenant: string,
  list: Buffer,
  details: ReadonlyMap<string, Buffer> = new Map(),
): Promise<SnapshotId> {
  const { manifest, goLive } = await prepareTenant(store, tenant, { generation: 1, list, details });
  await goLive();
  return manifest.snapshotId;
}

/** Prepares a publication. The caller makes the write that makes it visible. */
export async function prepareTenant(
  store: ObjectStore,
  tenant: string,
  { generation, list, details, previous }: TenantContent,
): Promise<{ readonly manifest: Manifest; goLive(): Promise<unknown> }> {
  const tenantId = parseTenantId(tenant);
  const now = new Date();
  const snapshot = snapshotId(now, randomBytes(4));
  const entry = async (name: ResponseName, bytes: Buffer): Promise<Manifest["list"]> => {
    const body = bytesBody(bytes);
    const key = responseKey(tenantId, snapshot, name);
    await store.put(key, body);
    return { key, sha256: body.sha256, size: body.size };
  };
  const programs = new ProgramTable();
  await forEachBounded(details, 32, async ([id, bytes]) => {
    const programId = parseProgramId(id);
    const { sha256, size } = await entry({ kind: "detail", programId }, bytes);
    programs.add(programId, { sha256, size, snapshotId: snapshot });
  });
  for (const id of previous?.programs.ids() ?? []) {
    const unchanged = previous?.programs.get(id);
    if (unchanged !== undefined) programs.add(id, unchanged);
  }
  const manifest: Manifest = {
    tenantId,
    generation,
    snapshotId: snapshot,
    parent: previous?.snapshotId ?? null,
    generatedAt: now.toISOString(),
    contract: publishedContract,
    list: await entry({ kind: "list" }, list),
    legacy: await entry({ kind: "legacy" }, Buffer.from('{"success":true,"programs":[]}')),
    programs,
  };
  const body = bytesBody(Buffer.from([...manifestText(manifest)].join("")));
  await store.put(manifestKey(tenantId, snapshot), body);
  const current: Current = {
    tenantId,
    generation,
    snapshotId: snapshot,
    manifestSha256: body.sha256,
    publishedAt: now.toISOString(),
    hold: null,
    nonce: randomBytes(16).toString("hex"),
  };
  return {
    manifest,
    goLive: () => store.put(currentKey(tenantId), bytesBody(currentBytes(current))),
  };
}

interface TenantContent {
  readonly generation: number;
  readonly list: Buffer;
  readonly details: ReadonlyMap<string, Buffer>;
  /** The snapshot that this one replaces. Programs without a new detail keep that of this one. */
  readonly previous?: Manifest | undefined;
}

/** A detail as large as real ones, and unlike any other. */
export function detailOf(id: string): Buffer {
  return Buffer.from(JSON.stringify({ data: { id, name: randomBytes(1100).toString("hex") } }));
}

/**
 * A list response of about `bytes` bytes, made of copies of a real one's programs. Ids and names of their own make it
 * compress like a list of as many real programs, about 1 to 15; mere copies would shrink to almost nothing.
 */
export function listOfBytes(real: Buffer, bytes: number): Buffer {
  const { data } = JSON.parse(real.toString("utf8")) as {
    readonly data: readonly { readonly name: string }[];
  };
  const items: string[] = [];
  for (let size = 0; size < bytes; ) {
    const program = data[items.length % data.length];
    const text = JSON.stringify({ ...program, id: randomUUID(), name: `${program?.name} ${randomUUID()}` });
    items.push(text);
    size += text.length + 1;
  }
  return Buffer.from(`{"data":[${items.join(",")}],"meta":{"count":${items.length}}}`);
}
