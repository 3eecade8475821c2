import type { TenantId } from "../../core/ids.ts";
import type { KeptPointer, KeptRegistry, KeptState } from "./kept-state.ts";
import type { Confirmed } from "./mended-copy.ts";

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

export type KnownState = Pick<RestoredState, "registry" | "tenants">;

/**
 * What this process has confirmed, and what was known before of everything else. A pointer whose manifest is still on its way to
 * the disk is left as it was known before: a gateway that is killed now might as well have been killed a moment earlier.
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
    const isOnItsWay = pointer.manifest !== undefined && unwritten.has(pointer.manifest.sha256);
    // A tenant that is being restored is known by its generation alone for a moment.
    const isLess = pointer.manifest === undefined && pointer.generation === known?.generation;
    if (!isOnItsWay && !isLess) all.set(tenantId, pointer);
  }
  // W170: the registry is named all the same, since an older one may have tokens that were revoked.
  return { registry: registry ?? (before.registry && aged(before.registry)), tenants: all };
}

/** The documents without which the state is worth nothing. */
export function filesNamedBy({ registry, tenants }: KnownState, maxStaleMs: number): ReadonlySet<string> {
  const names = new Set<string>();
  if (registry !== undefined) names.add(registry.sha256);
  for (const { manifest, ageMs } of tenants.values()) {
    if (manifest !== undefined && ageMs <= maxStaleMs) names.add(manifest.sha256);
  }
  return names;
}
