import type { Manifest } from "../../../core/manifest.ts";
import { type FoundInSource, findProgramsInSource } from "../../publish/source/find-programs.ts";
import { readWithdrawn } from "../../publish/source/tenant-rows.ts";
import type { AskedDatabase, SourceAway } from "./asked-database.ts";

const maxAskingMs = 15_000;

/** The programs that the source names in its answer. */
type AskedPrograms<Program> = { readonly kind: "asked"; readonly programs: readonly Program[] } | SourceAway;
export type WithdrawnSince = AskedPrograms<string>;

/**
 * The programs of the snapshot that the next build of its tenant withdraws (P20). A source that fails is a result and not thrown.
 */
export async function withdrawnSince(
  database: AskedDatabase,
  { tenantId, programs }: Manifest,
  signal: AbortSignal,
): Promise<WithdrawnSince> {
  return await database.ask({ maxMs: maxAskingMs, signal }, async (client) => {
    return { kind: "asked", programs: await readWithdrawn(client, tenantId, programs) };
  });
}

export type SourceSearch = AskedPrograms<FoundInSource>;

/** The limit for a search. Somebody waits for the page (P69). */
const maxWaitMs = 3000;
const maxFound = 50;

/** Throws `busy`. Any other failure of the source is a result. */
export async function findInSource(
  database: AskedDatabase,
  words: readonly string[],
  signal: AbortSignal,
): Promise<SourceSearch> {
  return await database.ask({ maxMs: maxWaitMs, signal }, async (client) => {
    return { kind: "asked", programs: await findProgramsInSource(client, words, maxFound) };
  });
}
