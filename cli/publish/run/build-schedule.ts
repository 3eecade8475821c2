import { setTimeout as delay } from "node:timers/promises";
import type { TenantId } from "../../../core/ids.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";

/** Builds a tenant unless another builder has it. Returns the outcome, or `taken` when the tenant is to be tried again later. */
export type TryBuild = (tenantId: TenantId) => Promise<TenantRun["outcome"] | "taken">;

/** Decides when which tenant of a run is built: calls `tryBuild` for each until it is no longer `taken`. */
export type BuildSchedule = (tenants: readonly TenantId[], tryBuild: TryBuild) => Promise<void>;

/** Builds at most `concurrency` tenants at a time, in their order. A tenant that another builder has is tried again at the end. */
export function boundedSchedule(concurrency: number, signal: AbortSignal): BuildSchedule {
  return async (tenants, tryBuild) => {
    const queue = [...tenants];
    let missesInARow = 0;
    const worker = async (): Promise<void> => {
      for (let tenantId = queue.shift(); tenantId !== undefined; tenantId = queue.shift()) {
        if ((await tryBuild(tenantId)) !== "taken") {
          missesInARow = 0;
          continue;
        }
        queue.push(tenantId);
        missesInARow += 1;
        if (missesInARow >= queue.length) await delay(retryTakenMs, undefined, { signal }).catch(() => {});
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, tenants.length) }, worker));
  };
}

/** The pause when other builders have all remaining tenants. */
const retryTakenMs = 500;
