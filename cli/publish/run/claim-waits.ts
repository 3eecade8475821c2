import type { TenantId } from "../../../core/ids.ts";

/** Since when which tenant is being waited for, because another builder has it. */
export interface Waits {
  /** P35: whether the wait has been long enough. It counts from the first call since `over`. */
  isOverdue(tenantId: TenantId): boolean;
  over(tenantId: TenantId): void;
}

/** `onWait` is called once for each wait that is worth a line, and once more when it was too long. */
export function createWaits(
  maxWaitMs: number,
  onWait: (tenantId: TenantId, isOverdue: boolean) => void,
): Waits {
  const waits = new Map<TenantId, { readonly since: number; said: "nothing" | "wait" | "overdue" }>();
  return {
    isOverdue(tenantId) {
      const wait = waits.get(tenantId) ?? { since: performance.now(), said: "nothing" };
      waits.set(tenantId, wait);
      const waitedMs = performance.now() - wait.since;
      if (waitedMs > maxWaitMs) {
        if (wait.said !== "overdue") onWait(tenantId, true);
        wait.said = "overdue";
        return true;
      }
      if (waitedMs > noticeAfterMs && wait.said === "nothing") {
        onWait(tenantId, false);
        wait.said = "wait";
      }
      return false;
    },
    over: (tenantId) => waits.delete(tenantId),
  };
}

/** Shorter waits are not worth a line. */
const noticeAfterMs = 2000;
