import type { AuditDocument, LiveState, TokenState } from "../../../schemas/generated/types.ts";

type AuditChange = AuditDocument["changes"][number];

const maxShown = 3;

/** Changes in one line: the first ones, and how many more; `omitted` are not listed. Empty for none. */
export function changeWords(changes: readonly AuditChange[], omitted = 0): string {
  const shown = changes.slice(0, maxShown).map(changePhrase);
  const more = changes.length - shown.length + omitted;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

function changePhrase(change: AuditChange): string {
  switch (change.kind) {
    case "token":
      return tokenPhrase(change.tokenId, change.before, change.after);
    case "snapshot":
      return `${change.tenantId}: ${livePhrase(change.before)} → ${livePhrase(change.after)}`;
    case "deletion":
      return `${change.tenantId}: ${change.deletedObjects} object(s) deleted`;
    case "forgotten":
      return `${change.tokenId} forgotten, which ended long ago`;
    case "removal":
      return `${change.tenantId} removed${change.isPurged ? " with its objects" : ""}`;
  }
}

function tokenPhrase(tokenId: string, before: TokenState | null, after: TokenState): string {
  if (before === null) return `${tokenId} issued${after.name === null ? "" : ` (${after.name})`}`;
  if (before.tenantId !== after.tenantId)
    return `${tokenId} moved from ${before.tenantId} to ${after.tenantId}`;
  if (before.revokedAt === null && after.revokedAt !== null) return `${tokenId} revoked`;
  return `${tokenId} ends ${after.expiresAt ?? "never"} instead of ${before.expiresAt ?? "never"}`;
}

function livePhrase(state: LiveState | null): string {
  if (state === null) return "nothing";
  const { snapshotId, programs, isHeld } = state;
  const count = programs === null ? "" : ` (${programs})`;
  return `${snapshotId}${count}${isHeld === true ? ", held" : ""}`;
}
