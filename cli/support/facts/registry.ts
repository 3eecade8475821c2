import { asFailure } from "../../../core/failure.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { noStore, readStoreIdentity } from "../../../core/open-store.ts";
import type { RegisteredToken, TokenRegistry } from "../../../core/token-registry.ts";
import { readRegistry } from "../../operate/tokens/edit-registry.ts";
import { readRemovedTenants } from "../../publish/snapshot/shared-documents.ts";
import { orFault } from "./last-build.ts";

/** The list of access keys, or the reason why it could not be read. A log explains much even without it. */
export type RegistryReading =
  | { readonly kind: "read"; readonly registry: TokenRegistry }
  | { readonly kind: "unavailable"; readonly reason: string };

/** Where there is no store, nobody can say that a key was never issued (W160). */
export async function registryReading(store: ObjectStore): Promise<RegistryReading> {
  try {
    const [{ registry }, identity] = await Promise.all([readRegistry(store), readStoreIdentity(store)]);
    if (identity === undefined) throw noStore(store.address);
    return { kind: "read", registry };
  } catch (error) {
    return { kind: "unavailable", reason: asFailure(error).message };
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
  for (;;) {
    const { tokenId: last } = successors.at(-1) ?? token;
    const next = tokens.find(({ replaces }) => replaces === last);
    // In a registry that was edited by hand, keys may replace each other in a circle.
    if (next === undefined || successors.includes(next)) return { kind: "known", token, successors };
    successors.push(next);
  }
}

/** A tenant was removed. `openKeys` counts the keys that the command did not revoke because it was interrupted; they still work. */
export interface Removal {
  /** RFC 3339. */
  readonly removedAt: string;
  readonly openKeys: number;
}

/** Which tenants are removed (P91), at which time. */
export async function readRemovals(
  store: ObjectStore,
  reading: RegistryReading,
  signal: AbortSignal,
): Promise<{ readonly value: ReadonlyMap<string, Removal>; readonly faults: readonly string[] }> {
  const tokens = reading.kind === "read" ? reading.registry.tokens : [];
  const inForce = tokens.filter(({ revokedAt }) => revokedAt === null);
  return await orFault(new Map(), signal, async () => {
    const removed = [...(await readRemovedTenants(store, signal))];
    return new Map(
      removed.map(([tenantId, removedAt]) => {
        const openKeys = inForce.filter((token) => token.tenantId === tenantId).length;
        return [tenantId, { removedAt, openKeys }];
      }),
    );
  });
}
