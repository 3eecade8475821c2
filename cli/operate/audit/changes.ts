import type { Current } from "../../../core/current.ts";
import type { RegisteredToken } from "../../../core/token-registry.ts";
import type { LiveState, TenantRun, TokenState } from "../../../schemas/generated/types.ts";
import type { AuditChange } from "./audit.ts";

/** P85: the tokens that differ between two lists, without plaintext or digest. */
export function tokenChanges(
  before: readonly RegisteredToken[],
  after: readonly RegisteredToken[],
): readonly AuditChange[] {
  const known = new Map(before.map((token) => [token.tokenId, token]));
  return after.flatMap((token): readonly AuditChange[] => {
    const was = known.get(token.tokenId);
    if (was === token) return [];
    const { tokenId } = token;
    return [{ kind: "token", tokenId, before: was ? tokenState(was) : null, after: tokenState(token) }];
  });
}

/** From one pointer to the next, with how many programs each shows where that is known. */
export function pointerChange(
  before: Current,
  after: Current,
  programsBefore: number | null = null,
  programs: number | null = null,
): AuditChange {
  return {
    kind: "snapshot",
    tenantId: after.tenantId,
    before: liveState(before, programsBefore),
    after: liveState(after, programs),
  };
}

/** The snapshots that a run published. */
export function publications(runs: readonly TenantRun[]): readonly AuditChange[] {
  return runs.flatMap((run): readonly AuditChange[] => {
    const { tenantId, outcome, snapshotId, previousSnapshotId, generation, livePrograms = null } = run;
    if (outcome !== "published" || snapshotId === null) return [];
    const unknown = { generation: null, programs: null, isHeld: null };
    const before = previousSnapshotId === null ? null : { snapshotId: previousSnapshotId, ...unknown };
    const after = { snapshotId, generation, programs: livePrograms, isHeld: null };
    return [{ kind: "snapshot", tenantId, before, after }];
  });
}

function tokenState(token: RegisteredToken): TokenState {
  const { tenantId, name, scopes, expiresAt, rateLimit, revokedAt } = token;
  return { tenantId, name, scopes: [...scopes], expiresAt, rateLimit, revokedAt };
}

function liveState({ snapshotId, generation, hold }: Current, programs: number | null): LiveState {
  return { snapshotId, generation, programs, isHeld: hold !== null };
}
