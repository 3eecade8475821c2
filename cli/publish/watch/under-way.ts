import type { TenantId } from "../../../core/ids.ts";

/** Why a build was begun: a notification named its tenant, or its turn in the round of all came. */
export type Lane = "told" | "round";

/** The builds under way. Each takes a slot, except while it is parked because another builder has the tenant. */
export interface UnderWay {
  has(tenantId: TenantId): boolean;
  begin(tenantId: TenantId, lane: Lane): void;
  end(tenantId: TenantId): void;
  /** Frees the slot of the build until the given time. */
  park(tenantId: TenantId, untilMs: number): void;
  /** Ends the parking: the build takes a slot of the lane again. */
  resume(tenantId: TenantId, lane: Lane): void;
  /** How many slots are taken, in all or by one lane. */
  slots(lane?: Lane): number;
  /** Parked tenants of the lane, and until when. `laneOf` gives the lane of tenants that were begun in the round. */
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
