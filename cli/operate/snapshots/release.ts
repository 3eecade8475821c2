import type { Current } from "../../../core/current.ts";
import { Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { commit } from "../../publish/snapshot/commit.ts";
import { readPublishedPointer } from "../../publish/snapshot/live-snapshot.ts";
import type { RollbackContext } from "./rollback.ts";

export interface Release {
  /** `not-held`: there was no hold; nothing was done. */
  readonly outcome: "released" | "not-held";
  readonly before: Current;
  readonly after: Current;
}

const maxAttempts = 4;

/**
 * Ends the tenant's hold by one compare-and-swap. The snapshot stays live, so generation and time of publication stay,
 * too: a generation says which publication is live. The new nonce is what makes concurrent writers lose.
 */
export async function release(
  tenantId: TenantId,
  { store, randomBytes, signal }: RollbackContext,
): Promise<Release> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const pointer = await readPublishedPointer(store, tenantId, signal);
    const before = pointer.current;
    if (before.hold === null) return { outcome: "not-held", before, after: before };
    const after: Current = { ...before, hold: null, nonce: Buffer.from(randomBytes(16)).toString("hex") };
    const { kind } = await commit(store, pointer, after);
    if (kind === "live") return { outcome: "released", before, after };
  }
  throw new Failure(
    "superseded",
    `current.json of tenant ${tenantId} was changed by others ${maxAttempts} times meanwhile; the hold stands. Try again.`,
  );
}
