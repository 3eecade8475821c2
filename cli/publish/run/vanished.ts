import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { RemovedTenants } from "../snapshot/removed-tenants.ts";
import { hasPointer, keptTenants } from "../snapshot/stored-tenants.ts";
import { inShard, type Shard } from "./shard.ts";

/** The tenants that partners have. Removed ones and the sandbox are none of them. */
export interface LiveTenants {
  readonly count: number;
  /** Those that the source does not list any more. */
  readonly vanished: readonly TenantId[];
}

/** Looks at the store's tenants, or at those of one shard. */
export async function liveTenants(
  store: ObjectStore,
  {
    listed,
    removed,
    sandbox,
    shard,
  }: {
    readonly listed: ReadonlySet<TenantId>;
    readonly removed: RemovedTenants;
    readonly sandbox: TenantId | undefined;
    readonly shard: Shard | undefined;
  },
  signal: AbortSignal,
): Promise<LiveTenants> {
  let count = 0;
  const vanished: TenantId[] = [];
  for await (const tenantId of keptTenants(store, removed, signal)) {
    if (tenantId === sandbox || (shard !== undefined && !inShard(tenantId, shard))) continue;
    const isVanished = !listed.has(tenantId);
    if (isVanished && !(await hasPointer(store, tenantId, signal))) continue;
    count += 1;
    if (isVanished) vanished.push(tenantId);
  }
  return { count, vanished };
}

const minVanished = 3;

/**
 * P13: refuses a run when most of the live tenants are not in the source any more: more often a view filters them out than a company
 * ends them all at once.
 */
export function vanishedRefusal({ count, vanished }: LiveTenants): Failure | undefined {
  if (vanished.length < minVanished || vanished.length * 2 <= count) return undefined;
  const named = vanished.slice(0, maxNamed).join(", ") + (vanished.length > maxNamed ? ", ..." : "");
  return new Failure(
    "vanished_guard",
    `Of ${count} live tenants, ${vanished.length} are not in the source any more: ${named}. Nothing was published but stated withdrawals. ` +
      "Look at the view partner_source.tenants and at row-level security. If this is right, build with --allow-vanished, or end them with `tenant remove`.",
  );
}

const maxNamed = 5;

/** P13: why a source that lists no tenant at all fails a run of all. */
export function emptySource(): Failure {
  return new Failure(
    "source_contract",
    "The view partner_source.tenants gives no tenant, so nothing was built. Look at its condition, at row-level security, and whether DATABASE_URL names the right database; `partner-programs source check` tells more.",
  );
}
