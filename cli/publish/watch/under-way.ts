import type { TenantId } from "../../../core/ids.ts";

/** Why a build was begun: a notification named its tenant, or its turn in the round of all came. */
export type Lane = "told" | "round";

/** The builds under way. Each takes a slot, except while it is parked because another builder has the tenant. */
export class UnderWay {
  readonly #builds = new Map<TenantId, { lane: Lane; parkedUntilMs: number | undefined }>();

  has(tenantId: TenantId): boolean {
    return this.#builds.has(tenantId);
  }

  /** Takes a slot of the lane, for a new build or for a parked one. */
  begin(tenantId: TenantId, lane: Lane): void {
    this.#builds.set(tenantId, { lane, parkedUntilMs: undefined });
  }

  end(tenantId: TenantId): void {
    this.#builds.delete(tenantId);
  }

  /** Frees the slot of the build until the given time. */
  park(tenantId: TenantId, untilMs: number): void {
    const build = this.#builds.get(tenantId);
    if (build !== undefined) build.parkedUntilMs = untilMs;
  }

  /** How many slots are taken, in all or by one lane. */
  slots(ofLane?: Lane): number {
    let taken = 0;
    for (const { lane, parkedUntilMs } of this.#builds.values()) {
      if (parkedUntilMs === undefined && (ofLane === undefined || lane === ofLane)) taken += 1;
    }
    return taken;
  }

  /** Parked tenants of the lane, and until when. `laneOf` gives the lane of tenants that were begun in the round. */
  parked(ofLane: Lane, laneOf: (tenantId: TenantId) => Lane): ReadonlyMap<TenantId, number> {
    const found = new Map<TenantId, number>();
    for (const [tenantId, { lane, parkedUntilMs }] of this.#builds) {
      const counted = lane === "told" ? lane : laneOf(tenantId);
      if (parkedUntilMs !== undefined && counted === ofLane) found.set(tenantId, parkedUntilMs);
    }
    return found;
  }
}
