import { asFailure, type FailureCode } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { noStore, readStoreIdentity } from "../../../core/store-identity.ts";
import type { RegisteredToken, TokenRegistry } from "../../../core/token-registry.ts";
import { type AuditEntry, type AuditQuery, readAudit } from "../../operate/audit/read-audit.ts";
import { readRegistry } from "../../operate/tokens/edit-registry.ts";
import { readRemovedTenants } from "../../publish/snapshot/removed-tenants.ts";
import { type Reading, readOr } from "./reading.ts";

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

export interface Rename {
  readonly tenantId: string;
  /** RFC 3339. */
  readonly at: string;
}

/** Reads which tenants were removed (P91). */
export async function readRemovals(
  store: ObjectStore,
  reading: RegistryReading,
  signal: AbortSignal,
): Promise<Reading<ReadonlyMap<string, Removal>>> {
  return await readOr(new Map(), signal, async () => {
    const removals = new Map<string, Removal>();
    for (const [tenantId, removedAt] of await readRemovedTenants(store, signal)) {
      const tokens = reading.kind === "read" ? reading.registry.tokens : [];
      const open = tokens.filter((token) => token.tenantId === tenantId && token.revokedAt === null);
      removals.set(tenantId, { removedAt, openKeys: open.length });
    }
    return removals;
  });
}

/** The number of the operators' commands that are searched for renames. */
const maxRecords = 500;

/**
 * Reads which tenants were renamed (P94). Only the audit records that keys were moved, since the list of keys has only their
 * present tenant. Returns nothing when the audit cannot be read.
 */
export async function readRenames(
  store: ObjectStore,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Rename>> {
  const query = { tenantId: undefined, since: undefined, limit: maxRecords };
  const records = await recordsOf(store, query, signal);
  const renames = new Map<string, Rename>();
  for (const { command, at, changes } of records.toReversed()) {
    if (command !== "tenant rename") continue;
    for (const change of changes) {
      if (change.kind !== "token" || change.before === null) continue;
      const [from, to] = [change.before.tenantId, change.after.tenantId];
      if (from === to) continue;
      renames.delete(to);
      renames.set(from, { tenantId: to, at });
    }
  }
  return renames;
}

/** The tenant that this one is now, through several renames. */
export function presentTenant(renames: ReadonlyMap<string, Rename>, tenantId: string): string {
  let present = tenantId;
  for (let hops = 0; hops < renames.size; hops += 1) present = renames.get(present)?.tenantId ?? present;
  return present;
}

/** The person who held a tenant, from the audit; `null` when the audit has no record of it or cannot be read. */
export async function heldBy(
  store: ObjectStore,
  tenantId: TenantId,
  since: string,
  signal: AbortSignal,
): Promise<string | null> {
  const until = new Date(since);
  const query = { tenantId, since: new Date(until.getTime() - longestMs), until, limit: 100 };
  const records = await recordsOf(store, query, signal);
  const holder = records.find(
    ({ outcome, changes }) =>
      outcome === "done" &&
      changes.some((change) => change.kind === "snapshot" && change.after?.isHeld === true),
  );
  return holder === undefined ? null : `${holder.actor.user}@${holder.actor.host}`;
}

/** A command that holds a tenant is done within this time. */
const longestMs = 3_600_000;

/** Records of the audit, newest first; none when it cannot be read. */
async function recordsOf(
  store: ObjectStore,
  query: AuditQuery,
  signal: AbortSignal,
): Promise<readonly AuditEntry[]> {
  const reading = await readOr(undefined, signal, () => readAudit(store, query, signal));
  return reading.value?.records ?? [];
}
