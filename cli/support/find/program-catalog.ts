import { LRUCache } from "lru-cache";
import { forEachBounded } from "../../../core/bounded-work.ts";
import { asFailure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { readLiveManifest, readPointer } from "../../publish/snapshot/live-snapshot.ts";
import { storedTenants } from "../../publish/snapshot/stored-tenants.ts";
import { storedPrograms } from "../facts/program-in-store.ts";
import { foldedText } from "./find-anything.ts";

export interface CatalogEntry {
  readonly tenantId: string;
  readonly programId: string;
  readonly name: string;
  /** Id and name in the form of `foldedText`. */
  readonly folded: string;
}

export interface CatalogReading {
  readonly tenantIds: readonly TenantId[];
  readonly entries: readonly CatalogEntry[];
  /** Tenants that could not be read, so that a program of theirs may be missed. */
  readonly unread: readonly string[];
}

const maxParallelReads = 8;

/** Each tenant's list for as long as its snapshot is live. 200,000 programs are about 60 MB. */
const lists = new LRUCache<string, readonly CatalogEntry[]>({
  maxSize: 200_000,
  sizeCalculation: (entries) => entries.length + 1,
});

/** Reads the lists that were published since the last call. */
export async function readCatalog(store: ObjectStore, signal: AbortSignal): Promise<CatalogReading> {
  const tenantIds: TenantId[] = [];
  for await (const tenantId of storedTenants(store, signal)) tenantIds.push(tenantId);
  const entries: CatalogEntry[] = [];
  const unread: string[] = [];
  await forEachBounded(tenantIds, maxParallelReads, async (tenantId) => {
    const found = await entriesOf(store, tenantId, signal).catch(asFailure);
    signal.throwIfAborted();
    if (found instanceof Error) unread.push(tenantId);
    else for (const entry of found) entries.push(entry);
  });
  return { tenantIds, entries, unread };
}

async function entriesOf(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<readonly CatalogEntry[]> {
  const pointer = await readPointer(store, tenantId, signal);
  if (pointer === undefined) return [];
  const key = `${tenantId} ${pointer.current.manifestSha256}`;
  const known = lists.get(key);
  if (known !== undefined) return known;
  const manifest = await readLiveManifest(store, pointer.current, signal);
  const programs = await storedPrograms(store, manifest, signal);
  const entries = programs.map(({ id, name }) => {
    return { tenantId, programId: id, name, folded: foldedText(`${id} ${name}`) };
  });
  lists.set(key, entries);
  return entries;
}
