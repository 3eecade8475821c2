import type { TenantId } from "../../core/ids.ts";
import type { KeptPointer, KeptRegistry, KeptState } from "./kept-state.ts";

/** A state as it was found. */
export interface FoundState {
  /** `undefined` when the file is no whole state. */
  readonly state: KeptState | undefined;
  /** Of the file, since 1970. */
  readonly modifiedAtMs: number;
}

/** What all gateways of the folder together had confirmed; ages are those of this moment. */
export interface RestoredState {
  readonly registry: KeptRegistry | undefined;
  readonly tenants: ReadonlyMap<TenantId, KeptPointer>;
  readonly isClockSetBack: boolean;
}

/**
 * Of several states the highest revision and the highest generations count, each as lately confirmed as anybody knew. W78:
 * a clock that is behind anything that was written tells nobody how old a thing is: then everything is too old to be
 * served, and what remains is the revision and the generations, below which nothing is believed.
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
