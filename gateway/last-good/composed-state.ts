import type { TenantId } from "../../core/ids.ts";
import type { KeptPointer } from "./kept-state.ts";
import type { Confirmed } from "./mended-copy.ts";
import type { RestoredState } from "./restored-state.ts";

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
