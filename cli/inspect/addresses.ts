/** The addresses of the pages. Whatever stands in them is encoded, so that any id makes one path segment. */

export const home = "/";
export const stylesheetPath = "/style.css";

export function tenantPath(tenantId: string): string {
  return `/tenants/${encodeURIComponent(tenantId)}`;
}

export function programPath(tenantId: string, programId: string): string {
  return `${tenantPath(tenantId)}/programs/${encodeURIComponent(programId)}`;
}

export function explainPath(tenantId: string, programId?: string): string {
  const query = programId === undefined ? "" : `?program=${encodeURIComponent(programId)}`;
  return `${tenantPath(tenantId)}/explain${query}`;
}

export function diffPath(tenantId: string, from?: string, to?: string): string {
  const query = new URLSearchParams();
  if (from !== undefined) query.set("from", from);
  if (to !== undefined) query.set("to", to);
  return `${tenantPath(tenantId)}/diff${query.size === 0 ? "" : `?${query}`}`;
}
