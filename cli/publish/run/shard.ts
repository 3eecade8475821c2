import { createHash } from "node:crypto";
import type { TenantId } from "../../../core/ids.ts";

/** The `index`-th (from 1) of `count` parts of all tenants, for as many machines. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Whether the tenant is in this part. A digest of the id decides, so parts stay as they are when tenants come and go. */
export function inShard(tenantId: TenantId, shard: Shard | undefined): boolean {
  if (shard === undefined) return true;
  const number = createHash("sha256").update(tenantId).digest().readBigUInt64BE();
  return number % BigInt(shard.count) === BigInt(shard.index - 1);
}

export function shardText({ index, count }: Shard): string {
  return `${index}/${count}`;
}
