import { setTimeout as delay } from "node:timers/promises";
import type { TenantId } from "../../../core/ids.ts";
import type { TenantRun } from "../../../schemas/generated/types.ts";

/** Builds a tenant if no other builder has it: how that ended, or `taken`, so that it is to be tried again later. */
export type TryBuild = (tenantId: TenantId) => Promise<TenantRun["outcome"] | "taken">;

/** Decides when which tenant of a run is built: calls `tryBuild` for each until it is no longer `taken`. */
export type BuildSchedule = (tenants: readonly TenantId[], tryBuild: TryBuild) => Promise<void>;

/** Side by side, in their order, at most `concurrency` at a time; those that another builder has are tried again last. */
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

/** Pause once all remaining tenants are being built elsewhere. */
const retryTakenMs = 500;
