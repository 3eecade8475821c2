import type { TenantId } from "../../../core/ids.ts";

/** With more hints, reading the whole tenant is no more work. */
const maxHints = 1000;

/**
 * The programs that changed since their tenant's live snapshot was built, where that is known for certain.
 *
 * P34: a hint says that nothing else has changed. A tenant's hints are trusted after a build of it went live that began while every
 * change was heard. They are not trusted before the first such build, after a failed one, or after notifications were lost.
 */
export class Hints {
  readonly #told = new Map<TenantId, Set<string> | "whole">();
  readonly #trusted = new Set<TenantId>();
  /** Tenants with a build under way, where no notification was lost since the build began. */
  readonly #sound = new Set<TenantId>();

  tell(tenantId: TenantId, program: string | undefined): void {
    const programs = this.#told.get(tenantId) ?? new Set<string>();
    if (programs === "whole") return;
    const isTooMany = program !== undefined && programs.size >= maxHints && !programs.has(program);
    this.#told.set(tenantId, program === undefined || isTooMany ? "whole" : programs.add(program));
  }

  /** The programs named since the last `taken`; `undefined` when others may have changed, so that the whole tenant is read. */
  of(tenantId: TenantId): ReadonlySet<string> | undefined {
    const programs = this.#told.get(tenantId);
    return programs === "whole" || !this.#trusted.has(tenantId) ? undefined : programs;
  }

  /** A build begins that answers all that was told of the tenant so far. */
  taken(tenantId: TenantId): void {
    this.#told.delete(tenantId);
  }

  begun(tenantId: TenantId): void {
    this.#sound.add(tenantId);
  }

  /** The build is over. `isLive`: the live snapshot shows what the source said when the build began, or later. */
  built(tenantId: TenantId, isLive: boolean): void {
    if (isLive && this.#sound.has(tenantId)) this.#trusted.add(tenantId);
    else this.#trusted.delete(tenantId);
    this.#sound.delete(tenantId);
  }

  /** Something may have changed without a notification. */
  distrustAll(): void {
    this.#trusted.clear();
    this.#sound.clear();
  }
}
