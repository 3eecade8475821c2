import { forEachBounded } from "../../../core/bounded-work.ts";
import { asFailure, type Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { SourceClient, SourcePool } from "../../database/connect.ts";
import { checkedProgram } from "../content/checked-program.ts";
import type { ContentRules } from "../content/content-rules.ts";
import { readLiveManifest, readPointer } from "../snapshot/live-snapshot.ts";
import { storedTenants } from "../snapshot/stored-tenants.ts";
import { sharingTenants, type TenantWithPrograms, tenantsOfPrograms } from "../source/find-programs.ts";
import { readPrograms } from "../source/read-programs.ts";
import { type ComparedPrograms, isMost } from "./shared-guard.ts";

export interface SharedPrograms {
  /** The ids of programs that other tenants have, too, by the other tenant. */
  readonly byTenant: ReadonlyMap<TenantId, ReadonlySet<string>>;
  /** Why the source did not say which tenants have them. */
  readonly unasked: Failure | undefined;
}

/** `isLive`: whether the tenant has a live snapshot, so that the answer may refuse its build. */
export type FindShared = (
  tenantId: TenantId,
  programs: ComparedPrograms,
  isLive: boolean,
) => Promise<SharedPrograms>;

/** How long the source, or else the store, may look for other tenants' programs. */
const maxAskingMs = 60_000;
/** A shorter limit for first snapshots, which the answer does not refuse. */
const maxAskingOfFirstMs = 10_000;
const maxParallelReads = 16;

/**
 * P144: finds the programs that another tenant has with the same id and the same content, in its live snapshot or in its rows,
 * which say what it gets in this run. So the order of the builds does not matter. The search ends once most of the programs are
 * found, or can no longer be.
 *
 * One query asks for the tenants that have any of the ids; then their programs are read. Unreadable rows count as different. When
 * the first query fails or takes too long, the run does not repeat it, and looks at the live snapshots of all tenants instead. So
 * a bad row of a neighbour or a slow view neither opens the guard nor delays good builds.
 *
 * That query reads the programs of all tenants. A run may build many first snapshots, so it asks once which tenants share any
 * program, and for no first snapshot of another tenant. A live tenant is always asked for, since the answer may refuse it.
 */
export function findSharedPrograms(
  pool: SourcePool,
  store: ObjectStore,
  rules: ContentRules,
  signal: AbortSignal,
): FindShared {
  let unasked: Failure | undefined;
  let sharing: Promise<ReadonlySet<string>> | undefined;

  async function mayShare(tenantId: TenantId, isLive: boolean): Promise<boolean> {
    if (isLive) return true;
    sharing ??= pool.withReading(sharingTenants, { statementMs: maxAskingMs });
    return (await sharing).has(tenantId);
  }

  async function tenantsBySource(
    tenantId: TenantId,
    programs: ComparedPrograms,
    isLive: boolean,
  ): Promise<readonly TenantWithPrograms[] | undefined> {
    if (unasked !== undefined) return undefined;
    try {
      if (!(await mayShare(tenantId, isLive))) return [];
      return await pool.withReading((client) => tenantsOfPrograms(client, tenantId, programs), {
        statementMs: isLive ? maxAskingMs : maxAskingOfFirstMs,
      });
    } catch (error) {
      signal.throwIfAborted();
      unasked = asFailure(error);
      return undefined;
    }
  }

  return async (tenantId, programs, isLive) => {
    const byTenant = new Map<TenantId, ReadonlySet<string>>();
    const found = new Set<string>();
    const add = (other: TenantId, ids: readonly string[]): void => {
      if (ids.length > 0) byTenant.set(other, new Set([...(byTenant.get(other) ?? []), ...ids]));
      for (const id of ids) found.add(id);
    };
    const others = await tenantsBySource(tenantId, programs, isLive);
    let left = others?.reduce((sum, other) => sum + other.programs, 0) ?? 0;
    for (const other of others ?? []) {
      if (isMost(found.size, programs) || !isMost(found.size + left, programs)) break;
      left -= other.programs;
      add(other.tenantId, await liveAmong(store, other.tenantId, programs, signal));
      const read = pool.withReading((client) =>
        programsGivenEqually(client, other.tenantId, rules, programs),
      );
      const given = await read.catch(() => {
        signal.throwIfAborted();
        return [];
      });
      add(other.tenantId, given);
    }
    if (others === undefined && isLive) {
      const stored: TenantId[] = [];
      for await (const other of storedTenants(store, signal)) if (other !== tenantId) stored.push(other);
      const endsAt = performance.now() + maxAskingMs;
      await forEachBounded(stored, maxParallelReads, async (other) => {
        if (isMost(found.size, programs) || performance.now() > endsAt) return;
        add(other, await liveAmong(store, other, programs, signal));
      });
    }
    return { byTenant, unasked: others === undefined ? unasked : undefined };
  };
}

/** The programs that the other tenant's rows give equally. */
export async function programsGivenEqually(
  client: SourceClient,
  other: TenantId,
  rules: ContentRules,
  programs: ComparedPrograms,
): Promise<readonly string[]> {
  const equal: string[] = [];
  for await (const batch of readPrograms(client, other, rules.limits, new Set(), {
    only: [...programs.keys()],
  })) {
    for (const read of batch) {
      const outcome = checkedProgram(read, rules);
      if (outcome.kind !== "published") continue;
      const { programId, rendered } = outcome;
      if (programs.get(programId)?.sha256 === rendered.detailSha256) equal.push(programId);
    }
  }
  return equal;
}

/** The programs that the other tenant has live equally. A snapshot that cannot be read has none. */
async function liveAmong(
  store: ObjectStore,
  other: TenantId,
  programs: ComparedPrograms,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const pointer = await readPointer(store, other, signal);
    if (pointer === undefined) return [];
    const live = await readLiveManifest(store, pointer.current, signal);
    return [...programs.keys()].filter((id) => live.programs.get(id)?.sha256 === programs.get(id)?.sha256);
  } catch {
    signal.throwIfAborted();
    return [];
  }
}
