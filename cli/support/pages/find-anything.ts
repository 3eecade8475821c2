import { LRUCache } from "lru-cache";
import { forEachBounded } from "../../../core/bounded-work.ts";
import { asFailure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RegisteredToken } from "../../../core/token-registry.ts";
import { readLiveManifest, readPointer } from "../../publish/snapshot/live-snapshot.ts";
import { storedTenants } from "../../publish/snapshot/stored-tenants.ts";
import type { FoundInSource } from "../../publish/source/find-programs.ts";
import { nearestName } from "../../shell/nearest-name.ts";
import { storedPrograms } from "../facts/program-in-store.ts";
import type { SourceSearch } from "../facts/source-questions.ts";

export interface CatalogEntry {
  readonly tenantId: string;
  readonly programId: string;
  readonly name: string;
  /** Id and name in the form of `foldedText`. */
  readonly folded: string;
}

interface CatalogReading {
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

const maxShown = 50;

/** The text without white space, quotes and full stops around it, which people copy along with an id. */
export function cleanedText(text: string): string {
  const characters = [...text.slice(0, maxTextLength)];
  const first = characters.findIndex((character) => !around.has(character));
  const last = characters.findLastIndex((character) => !around.has(character));
  return first === -1 ? "" : characters.slice(first, last + 1).join("");
}

const maxTextLength = 200;
const around = new Set(" \t\r\n\u00a0\"'“”‘’«»`<>().,;");

export function wordsOf(text: string): readonly string[] {
  return foldedText(text).split(/\s+/u).filter(Boolean).slice(0, 10);
}

/** Tenants, access keys and published programs that match the text; of the programs the best first. */
export function findAnything(
  text: string,
  { tenantIds, entries }: Pick<CatalogReading, "tenantIds" | "entries">,
  tokens: readonly RegisteredToken[],
) {
  const folded = foldedText(text);
  const words = wordsOf(text);
  const hasAll = (candidate: string): boolean => words.every((word) => candidate.includes(word));
  const isSame = (id: string): boolean => foldedText(id) === folded;
  const matches = entries.filter((entry) => hasAll(entry.folded));
  const sameIds = matches.filter(({ programId }) => isSame(programId));
  // When ids differ in case only, the one that equals the text is meant.
  const sameCase = sameIds.filter(({ programId }) => programId === text);
  /** The matches that equal the text except for case. */
  const exact = {
    tenantIds: tenantIds.filter(isSame),
    tokenIds: tokens.map(({ tokenId }) => tokenId).filter(isSame),
    programs: sameCase.length > 0 ? sameCase : sameIds,
  };
  const others = matches.filter((entry) => !sameIds.includes(entry));
  return {
    tenantIds: tenantIds.filter((tenantId) => hasAll(foldedText(tenantId))).slice(0, maxShown),
    tokens: tokens
      .filter(({ tokenId, name }) => isSame(tokenId) || hasAll(foldedText(name ?? "")))
      .slice(0, maxShown),
    programs: [...sameIds, ...others].slice(0, maxShown),
    totalPrograms: matches.length,
    exact,
  };
}

/** Programs that the source has and no partner sees. */
export function unpublishedOf(
  source: SourceSearch,
  entries: readonly CatalogEntry[],
): readonly FoundInSource[] {
  if (source.kind !== "asked" || source.programs.length === 0) return [];
  const published = new Set(entries.map(({ tenantId, programId }) => `${tenantId}\u0000${programId}`));
  return source.programs.filter(({ tenantId, programId }) => !published.has(`${tenantId}\u0000${programId}`));
}

/** A suggestion when nothing was found: the nearest id, or the words with their typing errors corrected. */
export function suggestion(
  text: string,
  { tenantIds, entries }: Pick<CatalogReading, "tenantIds" | "entries">,
  tokens: readonly RegisteredToken[],
): string | undefined {
  const ids = [
    ...tenantIds,
    ...tokens.map(({ tokenId }) => tokenId),
    ...new Set(entries.map(({ programId }) => programId)),
  ];
  const id = nearestName(text, ids);
  if (id !== undefined) return id;
  const vocabulary = new Set(entries.flatMap(({ folded }) => folded.split(/[^\p{Letter}\p{Number}]+/u)));
  vocabulary.delete("");
  const words = wordsOf(text);
  const mended = words.map((word) => (vocabulary.has(word) ? word : nearestName(word, vocabulary)));
  const known = mended.filter((word) => word !== undefined);
  if (known.length < words.length || words.length === 0) return undefined;
  const hasMatch = entries.some(({ folded }) => known.every((word) => folded.includes(word)));
  return hasMatch && known.join(" ") !== words.join(" ") ? known.join(" ") : undefined;
}

/** The text for comparisons, without differences of case, accents and width. */
export function foldedText(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase();
}
