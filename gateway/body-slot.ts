import type { ProgramId, TenantId } from "../core/ids.ts";
import { detailEntry, type Manifest, type ResponseEntry } from "../core/manifest.ts";
import type { Route } from "./exchange.ts";

/** Names a tenant's resource, whatever the snapshot. `?` is in no id, so a list and a program never share a slot. */
export function bodySlot(tenantId: TenantId, route: Route, programId: ProgramId | undefined): string {
  return programId === undefined ? `${tenantId}?${route}` : `${tenantId}/${programId}`;
}

export function slotTenant(slot: string): string {
  return slot.slice(0, slot.search(separator));
}

export function isListSlot(slot: string): boolean {
  return slot[slot.search(separator)] === "?";
}

/** What the manifest of the slot's tenant says of the resource; `undefined` when it has no such program. */
export function slotEntry(manifest: Manifest, slot: string): ResponseEntry | undefined {
  const name = slot.slice(slot.search(separator) + 1);
  if (!isListSlot(slot)) return detailEntry(manifest, name);
  return name === ("legacy" satisfies Route) ? manifest.legacy : manifest.list;
}

/** In no tenant's id. */
const separator = /[?/]/;
