import { asFailure, type FailureCode } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { noStore, readStoreIdentity } from "../../../core/store-identity.ts";
import type { RegisteredToken, TokenRegistry } from "../../../core/token-registry.ts";
import { readRegistry } from "../../operate/tokens/edit-registry.ts";
import { readRemovedTenants } from "../../publish/snapshot/removed-tenants.ts";
import { orFault } from "./last-build.ts";

/** The list of access keys, or the reason why it could not be read. A log explains much even without it. */
export type RegistryReading =
  | { readonly kind: "read"; readonly registry: TokenRegistry }
  | { readonly kind: "unavailable"; readonly reason: string; readonly code: FailureCode };

export async function registryReading(store: ObjectStore): Promise<RegistryReading> {
  try {
    const { registry, etag } = await readRegistry(store);
    // When there is no store, nobody can say that a key was never issued (W160).
    if (etag === undefined && (await readStoreIdentity(store)) === undefined) throw noStore(store.address);
    return { kind: "read", registry };
  } catch (error) {
    const { code, message } = asFailure(error);
    return { kind: "unavailable", reason: message, code };
  }
}

export type TokenFinding =
  /** The gateway did not recognize a key in the request. */
  | { readonly kind: "none" }
  | { readonly kind: "unavailable"; readonly reason: string }
  /** The log names a key that this store's list does not have. */
  | { readonly kind: "foreign" }
  | {
      readonly kind: "known";
      readonly token: RegisteredToken;
      /** The key that replaced this one in a rotation, and that key's own successors, oldest first. */
      readonly successors: readonly RegisteredToken[];
    };

export function tokenFinding(reading: RegistryReading, tokenId: string | null): TokenFinding {
  if (tokenId === null) return { kind: "none" };
  if (reading.kind === "unavailable") return reading;
  const { tokens } = reading.registry;
  const token = tokens.find((candidate) => candidate.tokenId === tokenId);
  if (token === undefined) return { kind: "foreign" };
  const successors: RegisteredToken[] = [];
  for (let at: RegisteredToken | undefined = token; at !== undefined; ) {
    const id: string = at.tokenId;
    at = tokens.find(({ replaces }) => replaces === id);
    // In a registry that was edited by hand, keys may replace each other in a circle.
    if (at === undefined || successors.includes(at)) break;
    successors.push(at);
  }
  return { kind: "known", token, successors };
}

/** A tenant was removed. `openKeys` counts the keys that the command did not revoke because it was interrupted; they still work. */
export interface Removal {
  /** RFC 3339. */
  readonly removedAt: string;
  readonly openKeys: number;
}

/** Reads which tenants are removed (P91). */
export async function readRemovals(
  store: ObjectStore,
  reading: RegistryReading,
  signal: AbortSignal,
): Promise<{ readonly value: ReadonlyMap<string, Removal>; readonly faults: readonly string[] }> {
  return await orFault(new Map(), signal, async () => {
    const removals = new Map<string, Removal>();
    const tokens = reading.kind === "read" ? reading.registry.tokens : [];
    for (const [tenantId, removedAt] of await readRemovedTenants(store, signal)) {
      const open = tokens.filter((token) => token.tenantId === tenantId && token.revokedAt === null);
      removals.set(tenantId, { removedAt, openKeys: open.length });
    }
    return removals;
  });
}

/** The person who held a tenant, from the audit; `null` when the audit has no record of it or cannot be read. */
export async function heldBy(
  store: ObjectStore,
  tenantId: TenantId,
  since: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { readAudit } = await import("../../operate/audit/read-audit.ts");
  const until = new Date(since);
  const query = { tenantId, since: new Date(until.getTime() - longestMs), until, limit: 100 };
  const { value } = await orFault(undefined, signal, () => readAudit(store, query, signal));
  const holder = value?.records.find(
    ({ outcome, changes }) =>
      outcome === "done" &&
      changes.some((change) => change.kind === "snapshot" && change.after?.isHeld === true),
  );
  return holder === undefined ? null : `${holder.actor.user}@${holder.actor.host}`;
}

/** A command that holds a tenant is done within this time. */
const longestMs = 3_600_000;
