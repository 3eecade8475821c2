import type { TenantId } from "../../core/ids.ts";
import type { KeptPointer, KeptRegistry, KeptState } from "./kept-state.ts";
import type { Confirmed } from "./mended-copy.ts";

/** A state file as it was read. */
export interface FoundState {
  /** `undefined` when the file is damaged. */
  readonly state: KeptState | undefined;
  /** When the file was last changed, since 1970. */
  readonly modifiedAtMs: number;
}

/** The last confirmations of all gateways that use the folder, combined. Ages are given as of now. */
export interface RestoredState {
  readonly registry: KeptRegistry | undefined;
  readonly tenants: ReadonlyMap<TenantId, KeptPointer>;
  readonly isClockSetBack: boolean;
}

/**
 * Combines the states of several gateways: the highest revision and the highest generations count, with the latest time of
 * confirmation. W78: if the clock is behind any time that was written, no age can be known. Then everything is too old to
 * be served, and only the revision and the generations are kept as lower bounds.
 */
export function restoredState(found: readonly FoundState[], nowUnixMs: number): RestoredState {
  // A file's time has fractions of a millisecond, and the clock has none.
  const isClockSetBack = found.some(
    ({ state, modifiedAtMs }) =>
      Math.floor(modifiedAtMs) > nowUnixMs || (state?.writtenAtMs ?? 0) > nowUnixMs,
  );
  let registry: KeptRegistry | undefined;
  const tenants = new Map<TenantId, KeptPointer>();
  for (const { state } of found) {
    if (state === undefined) continue;
    const sinceMs = isClockSetBack ? Number.POSITIVE_INFINITY : nowUnixMs - state.writtenAtMs;
    if (state.registry !== undefined) {
      const aged = { ...state.registry, ageMs: state.registry.ageMs + sinceMs };
      if (isBetter(aged.revision, aged.ageMs, registry?.revision, registry?.ageMs)) registry = aged;
    }
    for (const [tenantId, pointer] of state.tenants) {
      const aged = { ...pointer, ageMs: pointer.ageMs + sinceMs };
      const best = tenants.get(tenantId);
      if (isBetter(aged.generation, aged.ageMs, best?.generation, best?.ageMs)) tenants.set(tenantId, aged);
    }
  }
  return { registry, tenants, isClockSetBack };
}

function isBetter(rank: number, ageMs: number, bestRank = -1, bestAgeMs = Number.POSITIVE_INFINITY): boolean {
  return rank > bestRank || (rank === bestRank && ageMs < bestAgeMs);
}

export type KnownState = Pick<RestoredState, "registry" | "tenants">;

/**
 * The state to write: the confirmations of this process, and those in `before` for all that this process has not confirmed. A
 * pointer whose manifest is not on the disk yet stays as it was in `before`, as if the gateway had been killed a moment earlier.
 * `sinceMs`: the time since `before`.
 */
export function composedState(
  { registry, tenants }: Confirmed,
  unwritten: ReadonlySet<string>,
  before: KnownState,
  sinceMs: number,
): KnownState {
  const aged = <Kept extends { readonly ageMs: number }>(known: Kept): Kept => ({
    ...known,
    ageMs: known.ageMs + sinceMs,
  });
  const all = new Map<TenantId, KeptPointer>();
  for (const [tenantId, pointer] of before.tenants) all.set(tenantId, aged(pointer));
  for (const [tenantId, pointer] of tenants) {
    const known = all.get(tenantId);
    const isUnwritten = pointer.manifest !== undefined && unwritten.has(pointer.manifest.sha256);
    // While a tenant is being restored, only its generation is known for a moment.
    const isGenerationOnly = pointer.manifest === undefined && pointer.generation === known?.generation;
    if (!isUnwritten && !isGenerationOnly) all.set(tenantId, pointer);
  }
  // W170: the registry is named even if it is not on the disk yet, since an older one may still accept tokens that were revoked.
  return { registry: registry ?? (before.registry && aged(before.registry)), tenants: all };
}

/** The digests of the documents that the state needs. */
export function filesNamedBy({ registry, tenants }: KnownState, maxStaleMs: number): ReadonlySet<string> {
  const names = new Set<string>();
  if (registry !== undefined) names.add(registry.sha256);
  for (const { manifest, ageMs } of tenants.values()) {
    if (manifest !== undefined && ageMs <= maxStaleMs) names.add(manifest.sha256);
  }
  return names;
}
