import type { TenantId } from "../../../core/ids.ts";

/** Which programs of a tenant changed since its live snapshot was built, where that is known for certain. */
export interface Hints {
  tell(tenantId: TenantId, program: string | undefined): void;
  /** The programs that were named since the last `taken`. `undefined`: other programs may have changed, so the whole tenant is read. */
  of(tenantId: TenantId): ReadonlySet<string> | undefined;
  /** A build begins that answers all that was told of the tenant so far. */
  taken(tenantId: TenantId): void;
  /** A build of the tenant begins. */
  begun(tenantId: TenantId): void;
  /** The build is over. `isLive`: the live snapshot shows what the source said when the build began, or later. */
  built(tenantId: TenantId, isLive: boolean): void;
  /** Something may have changed without a notification. */
  distrustAll(): void;
}

/**
 * P34: a hint says that nothing else has changed. A tenant's hints are trusted after a build of it went live that began while every
 * change was heard. They are not trusted before the first such build, after a failed one, or after notifications were lost.
 */
export function createHints(): Hints {
  const told = new Map<TenantId, Set<string> | "whole">();
  const trusted = new Set<TenantId>();
  /** Tenants with a build under way, where no notification was lost since the build began. */
  const sound = new Set<TenantId>();

  return {
    tell(tenantId, program) {
      const programs = told.get(tenantId) ?? new Set<string>();
      if (programs === "whole") return;
      const isTooMany = program !== undefined && programs.size >= maxHints && !programs.has(program);
      told.set(tenantId, program === undefined || isTooMany ? "whole" : programs.add(program));
    },
    of(tenantId) {
      const programs = told.get(tenantId);
      return programs === "whole" || !trusted.has(tenantId) ? undefined : programs;
    },
    taken: (tenantId) => told.delete(tenantId),
    begun: (tenantId) => sound.add(tenantId),
    built(tenantId, isLive) {
      if (isLive && sound.has(tenantId)) trusted.add(tenantId);
      else trusted.delete(tenantId);
      sound.delete(tenantId);
    },
    distrustAll() {
      trusted.clear();
      sound.clear();
    },
  };
}

/** With more hints, reading the whole tenant is no more work. */
const maxHints = 1000;
