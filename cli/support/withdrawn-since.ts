import type { Manifest } from "../../core/manifest.ts";
import { readWithdrawn } from "../publish/source/read-withdrawn.ts";
import type { AskedDatabase, SourceAway } from "./asked-database.ts";

/** What the source says of the programs of a snapshot. */
export type WithdrawnSince = { readonly kind: "asked"; readonly programs: readonly string[] } | SourceAway;

/** Whoever rolls back is in a hurry, and needs no database for it. */
const maxAskingMs = 15_000;

/** The programs of the snapshot that the next build of its tenant withdraws (P20). Never throws for the source's sake. */
export async function withdrawnSince(
  database: AskedDatabase,
  { tenantId, programs }: Manifest,
  signal: AbortSignal,
): Promise<WithdrawnSince> {
  return await database.ask({ maxMs: maxAskingMs, signal }, async (client) => {
    return { kind: "asked", programs: await readWithdrawn(client, tenantId, programs) };
  });
}
