import type { LastRunOfAll, LastRunsDocument, TenantLastRun } from "../../schemas/generated/types.ts";
import { isLastRunsDocument } from "../../schemas/generated/validators-administration.ts";
import { isTenantId, type TenantId } from "../ground/ids.ts";
import { maxLastRunsBytes } from "../ground/limits.ts";
import { lastRunsKey } from "../ground/object-key.ts";
import { documentBytes, parseStoredDocument, readBody } from "../store/object-body.ts";
import type { ObjectStore, StoredObject } from "../store/object-store.ts";

/** `runs/last.json`: what the last run made of each tenant. Builds write it; gateways never read it. */
export interface LastRuns {
  /** The last run of all tenants: one entry, or one for each shard. Empty when none is known. */
  readonly runsOfAll: readonly LastRunOfAll[];
  readonly tenants: ReadonlyMap<TenantId, TenantLastRun>;
}

/** What a store says that no build has written to since this document exists: nothing is known yet. */
export const noLastRuns: LastRuns = { runsOfAll: [], tenants: new Map() };

/** What a day of a tenant is told for: whether it was within the last 24 hours. */
export function isWithinDay(at: string | undefined, now: Date): boolean {
  return at !== undefined && now.getTime() - Date.parse(at) < 24 * 60 * 60_000;
}

/** `undefined` when there is no document. Throws `corrupt_document`. */
export async function readLastRuns(
  store: Pick<ObjectStore, "get">,
  signal: AbortSignal,
): Promise<LastRuns | undefined> {
  const found = await store.get(lastRunsKey, { signal, wholeUpTo: maxLastRunsBytes });
  return found.kind === "object" ? await parseLastRuns(found) : undefined;
}

/** Throws `corrupt_document`. */
export async function parseLastRuns(found: StoredObject): Promise<LastRuns> {
  const bytes = await readBody(found, maxLastRunsBytes, lastRunsKey);
  const { runsOfAll, tenants } = parseStoredDocument(bytes, isLastRunsDocument, lastRunsKey);
  const known = Object.entries(tenants).flatMap(([id, run]) => (isTenantId(id) ? [[id, run] as const] : []));
  return { runsOfAll, tenants: new Map(known) };
}

export function lastRunsBytes({ runsOfAll, tenants }: LastRuns): Buffer {
  const document: LastRunsDocument = {
    format: "partner-programs/last-runs@1",
    runsOfAll: [...runsOfAll],
    tenants: Object.fromEntries([...tenants].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
  return documentBytes(document);
}
