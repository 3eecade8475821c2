import type { TenantId } from "../../../core/ids.ts";

/** Which programs of a tenant changed since its live snapshot was built, where that is known for certain. */
export interface Hints {
  tell(tenantId: TenantId, program: string | undefined): void;
  /** What was told since the last `taken`. `undefined`: who knows, so that the tenant is to be built as a whole. */
  of(tenantId: TenantId): ReadonlySet<string> | undefined;
  /** A build begins that answers all that was told of the tenant so far. */
  taken(tenantId: TenantId): void;
  /** A build of the tenant begins. */
  begun(tenantId: TenantId): void;
  /** It is over; `isLive`: what is live now is what the source said when it began, or later. */
  built(tenantId: TenantId, isLive: boolean): void;
  /** Something may have changed that nobody was told of. */
  distrustAll(): void;
}

/**
 * P34: a hint says "nothing else changed". That is known of a tenant only since a build of it went live that began while
 * every change was heard: not before its first one, after one that failed, or after notifications were lost.
 */
export function createHints(): Hints {
  const told = new Map<TenantId, Set<string> | "whole">();
  const trusted = new Set<TenantId>();
  /** Builds under way since whose beginning nothing was lost. */
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

/** Beyond it, reading the tenant as a whole is no more work. */
const maxHints = 1000;
