import { asFailure } from "../../core/failure.ts";
import type { Manifest } from "../../core/manifest.ts";
import { withSourcePool } from "../database/connect.ts";
import { withExistingDatabase } from "../database/existing-database.ts";
import type { CliSettings } from "../shell/shell.ts";
import { readWithdrawn } from "../source/read-withdrawn.ts";

/** What the source says of the programs of a snapshot. */
export type WithdrawnSince =
  | { readonly kind: "asked"; readonly programs: readonly string[] }
  | { readonly kind: "unavailable"; readonly reason: string };

/** Whoever rolls back is in a hurry, and needs no database for it. */
const maxAskingMs = 15_000;

/** The programs of the snapshot that the next build of its tenant withdraws (P20). Never throws for the source's sake. */
export async function withdrawnSince(
  settings: CliSettings,
  { tenantId, programs }: Manifest,
  signal: AbortSignal,
): Promise<WithdrawnSince> {
  const asking = AbortSignal.any([signal, AbortSignal.timeout(maxAskingMs)]);
  try {
    const found = await withExistingDatabase(settings, (databaseUrl) =>
      withSourcePool({ databaseUrl, connections: 1, signal: asking }, (pool) =>
        pool.withReading((client) => readWithdrawn(client, tenantId, programs)),
      ),
    );
    return { kind: "asked", programs: found };
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = asking.aborted ? `no answer within ${maxAskingMs / 1000} s` : asFailure(error).message;
    return { kind: "unavailable", reason };
  }
}
