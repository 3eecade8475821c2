import { type FoundInSource, findProgramsInSource } from "../../publish/source/find-programs.ts";
import type { AskedDatabase, SourceAway } from "../asked-database.ts";

/** What the source says, or why it could not be asked. */
export type SourceSearch =
  | { readonly kind: "asked"; readonly programs: readonly FoundInSource[] }
  | SourceAway;

/** Somebody waits for the page (P69). */
const maxWaitMs = 3000;
const maxFound = 50;

/** Throws `busy`, and nothing else for the source's sake. */
export async function findInSource(
  database: AskedDatabase,
  words: readonly string[],
  signal: AbortSignal,
): Promise<SourceSearch> {
  return await database.ask({ maxMs: maxWaitMs, signal }, async (client) => {
    return { kind: "asked", programs: await findProgramsInSource(client, words, maxFound) };
  });
}
