import type { TenantId } from "../../../core/ids.ts";

/** Why a build was begun: somebody said that its tenant changed, or its turn in the round of all came. */
export type Lane = "told" | "round";

/** The builds under way: each takes a slot, but for those that are parked since another builder has their tenant. */
export interface UnderWay {
  has(tenantId: TenantId): boolean;
  begin(tenantId: TenantId, lane: Lane): void;
  end(tenantId: TenantId): void;
  /** Gives the slot back until then. */
  park(tenantId: TenantId, untilMs: number): void;
  /** Takes a slot again, for that lane. */
  resume(tenantId: TenantId, lane: Lane): void;
  /** How many slots are taken, in all or by one lane. */
  slots(lane?: Lane): number;
  /** Tenant → until when it is parked; of the lane, as `laneOf` has it for those that were begun in the round. */
  parked(lane: Lane, laneOf: (tenantId: TenantId) => Lane): ReadonlyMap<TenantId, number>;
}

export function createUnderWay(): UnderWay {
  const builds = new Map<TenantId, { lane: Lane; parkedUntilMs: number | undefined }>();
  return {
    has: (tenantId) => builds.has(tenantId),
    begin: (tenantId, lane) => builds.set(tenantId, { lane, parkedUntilMs: undefined }),
    end: (tenantId) => builds.delete(tenantId),
    park(tenantId, untilMs) {
      const build = builds.get(tenantId);
      if (build !== undefined) build.parkedUntilMs = untilMs;
    },
    resume: (tenantId, lane) => builds.set(tenantId, { lane, parkedUntilMs: undefined }),
    slots(ofLane) {
      let taken = 0;
      for (const { lane, parkedUntilMs } of builds.values()) {
        if (parkedUntilMs === undefined && (ofLane === undefined || lane === ofLane)) taken += 1;
      }
      return taken;
    },
    parked(ofLane, laneOf) {
      const found = new Map<TenantId, number>();
      for (const [tenantId, { lane, parkedUntilMs }] of builds) {
        const counted = lane === "told" ? lane : laneOf(tenantId);
        if (parkedUntilMs !== undefined && counted === ofLane) found.set(tenantId, parkedUntilMs);
      }
      return found;
    },
  };
}
