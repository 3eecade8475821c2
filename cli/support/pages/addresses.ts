/** The addresses of the pages. Each id in them is encoded, so that it makes one path segment. */

export const home = "/";
export const healthPath = "/health";
export const stylesheetPath = "/style.css";

export const requestsPath = "/requests";
export const tokensPath = "/tokens";
export const findPath = "/find";

/** The address of the operators' changes for all tenants or for one. */
export function auditPath(tenantId?: string): string {
  return tenantId === undefined ? "/audit" : `/audit?tenant=${encodeURIComponent(tenantId)}`;
}

export function requestsOf(filter: Readonly<Record<string, string>>): string {
  return `${requestsPath}?${new URLSearchParams(filter)}`;
}

export function requestPath(requestId: string): string {
  return `${requestsPath}/${encodeURIComponent(requestId)}`;
}

export function tenantPath(tenantId: string): string {
  return `/tenants/${encodeURIComponent(tenantId)}`;
}

export function programPath(tenantId: string, programId: string): string {
  return `${tenantPath(tenantId)}/programs/${encodeURIComponent(programId)}`;
}

/** The address of a program's timeline. `older`: the number of periods that are left to show. */
export function timelinePath(tenantId: string, programId: string, older?: number): string {
  return `${programPath(tenantId, programId)}/timeline${older === undefined ? "" : `?older=${older}`}`;
}

/** The address of the comparison of a program in the booking database, in the live snapshot and from the gateway. */
export function comparisonPath(tenantId: string, programId: string): string {
  return `${programPath(tenantId, programId)}/compare`;
}

export function snapshotsPath(tenantId: string, page = 1): string {
  return `${tenantPath(tenantId)}/snapshots${page === 1 ? "" : `?page=${page}`}`;
}

/** P76: the page at this address shows the same as long as the snapshot is kept. */
export function snapshotPath(tenantId: string, snapshotId: string): string {
  return `${tenantPath(tenantId)}/snapshots/${encodeURIComponent(snapshotId)}`;
}

/** P76: the address of a program as it is in that snapshot, live or not. */
export function snapshotProgramPath(tenantId: string, snapshotId: string, programId: string): string {
  return `${snapshotPath(tenantId, snapshotId)}/programs/${encodeURIComponent(programId)}`;
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
