/** The addresses of the pages. Each id in them is encoded, so that it makes one path segment. */

export const home = "/";
export const stylesheetPath = "/style.css";
export const findPath = "/find";

export function requestPath(requestId: string): string {
  return `/requests/${encodeURIComponent(requestId)}`;
}

export function tenantPath(tenantId: string): string {
  return `/tenants/${encodeURIComponent(tenantId)}`;
}

/**
 * The address of a program. `version`: the snapshot with which it changed. Browsers take the ids `.` and `..`
 * for steps in the path, so these stand in the query.
 */
export function programPath(tenantId: string, programId: string, version?: string): string {
  const query = new URLSearchParams();
  if (/^\.{0,2}$/.test(programId)) query.set("id", programId);
  if (version !== undefined) query.set("version", version);
  const id = query.has("id") ? "" : `/${encodeURIComponent(programId)}`;
  return `${tenantPath(tenantId)}/programs${id}${query.size === 0 ? "" : `?${query}`}`;
}
