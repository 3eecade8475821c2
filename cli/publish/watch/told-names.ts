import { isTenantId, type TenantId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import type { SourcePool } from "../../database/connect.ts";
import { knownRemovals } from "../snapshot/removed-tenants.ts";
import { knownSandbox } from "../snapshot/sandbox-tenant.ts";
import { storedTenants } from "../snapshot/stored-tenants.ts";
import { listedTenants } from "../source/read-tenants.ts";
import { maxNotified } from "./tenant-queue.ts";

/** Sorts notified names: a tenant is built; any other name means that anything may have changed. */
export interface ToldNames {
  told(name: TenantId): void;
  /** A round begins. Call what is returned when it has ended. */
  roundBegins(): () => void;
}

export interface ToldNamesOptions {
  readonly pool: Pick<SourcePool, "withReading">;
  readonly store: ObjectStore;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  /** A tenant of source or store, also of another shard. */
  readonly onTenant: (tenantId: TenantId) => void;
  readonly onAnything: () => void;
}

/**
 * P193: a name that neither source nor store knows begins a round, as `NOTIFY partner_source_changed,
 * 'programs updated'` means one. When a round that began after it has found it unknown, too, the name begins
 * no other until the interval has passed, since triggers on base tables name tenants that the view never
 * lists. Unknown names are looked up together, so that ten thousand of them cost as little as one.
 */
export function createToldNames(options: ToldNamesOptions): ToldNames {
  const { intervalMs, signal, onTenant, onAnything } = options;
  const tenants = new Set<TenantId>();
  let waiting = new Set<TenantId>();
  let isLookingUp = false;
  /** Unknown names that the next round answers, and those that a round has answered in this interval. */
  let asking = new Set<TenantId>();
  const answered = new Set<TenantId>();
  let forgetAtMs = 0;

  async function lookUp(): Promise<void> {
    isLookingUp = true;
    while (waiting.size > 0 && !signal.aborted) {
      const names = [...waiting];
      waiting = new Set();
      const known = await knownNames(names, answered, options).catch(() => undefined);
      if (known === undefined) onAnything();
      else for (const name of names) sort(name, known.has(name));
    }
    isLookingUp = false;
  }

  function sort(name: TenantId, isTenant: boolean): void {
    if (isTenant) {
      tenants.add(name);
      onTenant(name);
    } else if (!answered.has(name)) {
      if (asking.size + answered.size < maxNotified) asking.add(name);
      onAnything();
    }
  }

  return {
    told(name) {
      if (tenants.has(name)) return onTenant(name);
      if (waiting.size >= maxNotified) return onAnything();
      waiting.add(name);
      // It never rejects.
      if (!isLookingUp) void lookUp();
    },
    roundBegins() {
      if (performance.now() >= forgetAtMs) {
        answered.clear();
        forgetAtMs = performance.now() + intervalMs;
      }
      const inRound = asking;
      asking = new Set();
      return () => {
        for (const name of inRound) answered.add(name);
      };
    },
  };
}

/** Which of the names are tenants of the source or, unless a round has answered them, of the store. */
async function knownNames(
  names: readonly TenantId[],
  answered: ReadonlySet<TenantId>,
  { pool, store, signal }: ToldNamesOptions,
): Promise<ReadonlySet<TenantId>> {
  const listed = await pool.withReading((client) => listedTenants(client, names), { statementMs: maxAskMs });
  const known = new Set(listed.filter(isTenantId));
  if (names.every((name) => known.has(name) || answered.has(name))) return known;
  const [sandbox, removed] = await Promise.all([knownSandbox(store, signal), knownRemovals(store, signal)]);
  if (sandbox !== undefined) known.add(sandbox);
  for (const tenantId of removed.keys()) known.add(tenantId);
  for await (const tenantId of storedTenants(store, signal)) known.add(tenantId);
  return known;
}

/** A view that takes longer to find a few tenants is left to the round. */
const maxAskMs = 10_000;
