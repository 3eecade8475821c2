import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { SourceClient, SourcePool } from "../../database/connect.ts";
import { limitWaiting } from "../../database/limit-waiting.ts";
import { checkedProgram } from "../content/checked-program.ts";
import type { ContentRules } from "../content/content-rules.ts";
import { readLiveManifest, readPointer } from "../snapshot/live-snapshot.ts";
import { tenantsOfPrograms } from "../source/find-programs.ts";
import { readPrograms } from "../source/read-programs.ts";

/** Programs of one tenant: the digests of their details, which contain the ids, by id. */
export type ProgramDigests = ReadonlyMap<string, string>;

/** The programs that other tenants have, too: their ids by the other tenant. */
export type SharedPrograms = ReadonlyMap<TenantId, ReadonlySet<string>>;

/** `maxAskingMs`: how long the database may look for the other tenants' programs of these ids. */
export type FindShared = (
  tenantId: TenantId,
  programs: ProgramDigests,
  maxAskingMs: number,
) => Promise<SharedPrograms>;

/** Fewer equal programs of two tenants may be chance, such as samples. */
export const minShared = 5;

/**
 * P144: finds out which of the programs another tenant has, with the same id and the same content: in its live snapshot, or by
 * its rows, which say what it gets in this run. So the answer does not depend on which of the two is built first. The source
 * is asked once for the ids, then for the programs of each tenant that has any; another tenant's rows that cannot be read
 * count as other programs.
 */
export function findSharedPrograms(
  pool: SourcePool,
  store: ObjectStore,
  rules: ContentRules,
  signal: AbortSignal,
): FindShared {
  return async (tenantId, programs, maxAskingMs) => {
    const others = await pool.withReading(async (client) => {
      await limitWaiting(client, "statement_timeout", maxAskingMs);
      return await tenantsOfPrograms(client, tenantId, [...programs.keys()]);
    });
    const shared = new Map<TenantId, ReadonlySet<string>>();
    for (const other of others) {
      const live = await liveAmong(store, other, programs, signal);
      const read = pool.withReading((client) => programsGivenEqually(client, other, rules, programs));
      const next = await read.catch(() => {
        signal.throwIfAborted();
        return [];
      });
      const ids = new Set([...live, ...next]);
      if (ids.size > 0) shared.set(other, ids);
    }
    return shared;
  };
}

/** The programs that the other tenant's rows give equally. */
export async function programsGivenEqually(
  client: SourceClient,
  other: TenantId,
  rules: ContentRules,
  programs: ProgramDigests,
): Promise<readonly string[]> {
  const equal: string[] = [];
  for await (const batch of readPrograms(client, other, rules.limits, {}, [...programs.keys()])) {
    for (const read of batch) {
      const outcome = checkedProgram(read, rules);
      if (outcome.kind !== "published") continue;
      if (programs.get(outcome.programId) === outcome.rendered.detailSha256) equal.push(outcome.programId);
    }
  }
  return equal;
}

/** The programs that the other tenant has live equally. A snapshot that cannot be read has none. */
async function liveAmong(
  store: ObjectStore,
  other: TenantId,
  programs: ProgramDigests,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const pointer = await readPointer(store, other, signal);
    if (pointer === undefined) return [];
    const live = await readLiveManifest(store, pointer.current, signal);
    return [...programs].filter(([id, sha256]) => live.programs.get(id)?.sha256 === sha256).map(([id]) => id);
  } catch {
    signal.throwIfAborted();
    return [];
  }
}
