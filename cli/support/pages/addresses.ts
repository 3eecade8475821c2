/** The addresses of the pages. Whatever stands in them is encoded, so that any id makes one path segment. */

export const home = "/";
export const healthPath = "/health";
export const stylesheetPath = "/style.css";

export const requestsPath = "/requests";
export const tokensPath = "/tokens";
export const findPath = "/find";

/** The page of the operators' changes, of all tenants or of one. */
export function auditPath(tenantId?: string): string {
  return tenantId === undefined ? "/audit" : `/audit?tenant=${encodeURIComponent(tenantId)}`;
}

export function requestsOf(filter: Readonly<Record<string, string>>): string {
  return `${requestsPath}?${new URLSearchParams(filter)}`;
}

export function requestPath(requestId: string): string {
  return `${requestsPath}/${encodeURIComponent(requestId)}`;
}

export function clientPath(tokenId: string): string {
  return `${tokensPath}/${encodeURIComponent(tokenId)}/client`;
}

export function tenantPath(tenantId: string): string {
  return `/tenants/${encodeURIComponent(tenantId)}`;
}

export function programPath(tenantId: string, programId: string): string {
  return `${tenantPath(tenantId)}/programs/${encodeURIComponent(programId)}`;
}

/** What partners saw of a program, change by change. `older`: as many periods as are left. */
export function timelinePath(tenantId: string, programId: string, older?: number): string {
  return `${programPath(tenantId, programId)}/timeline${older === undefined ? "" : `?older=${older}`}`;
}

/** The program in the booking database, in the live snapshot and from the gateway. */
export function comparisonPath(tenantId: string, programId: string): string {
  return `${programPath(tenantId, programId)}/compare`;
}

export function snapshotsPath(tenantId: string, page = 1): string {
  return `${tenantPath(tenantId)}/snapshots${page === 1 ? "" : `?page=${page}`}`;
}

/** P76: it shows the same for as long as the snapshot is kept. */
export function snapshotPath(tenantId: string, snapshotId: string): string {
  return `${tenantPath(tenantId)}/snapshots/${encodeURIComponent(snapshotId)}`;
}

/** P76: the program as it is in that snapshot, live or not. */
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
