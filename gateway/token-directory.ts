import type { Cause } from "../core/cause-code.ts";
import { Failure } from "../core/failure.ts";
import type { TenantId, TokenId } from "../core/ids.ts";
import { maxRegistryBytes } from "../core/limits.ts";
import { readBody } from "../core/object-body.ts";
import { tokensKey } from "../core/object-key.ts";
import type { ETag } from "../core/object-store.ts";
import type { TokenDigest } from "../core/token.ts";
import { parseTokenRegistry, readScope, type TokenRegistry } from "../core/token-registry.ts";
import { Confirmed, type StoreReading } from "./confirmed.ts";
import { settledWithin } from "./deadline.ts";
import type { Copied } from "./mirror.ts";

export type Authentication =
  | { readonly kind: "accepted"; readonly token: KnownToken }
  | { readonly kind: "refused"; readonly token: KnownToken | undefined; readonly cause: Cause }
  /** T9: the registry was not confirmed for too long, so nobody knows whether the token is valid. */
  | { readonly kind: "unconfirmed"; readonly cause: Cause };

/** All tokens in memory. An unknown token takes a look-up, never a call to the store. */
export interface TokenDirectory {
  authenticate(digest: TokenDigest): Authentication;
  /** Milliseconds since the registry was last confirmed; infinite before the first time. */
  ageMs(): number;
  /** The bytes of `auth/tokens.json`. T16: gateways refuse more than `maxRegistryBytes`. */
  bytes(): number;
  /** The number of tokens per status. */
  counts(): Readonly<Record<TokenStatus, number>>;
  /** Valid tokens that will expire, the soonest first. */
  expiring(): readonly KnownToken[];
  /** Why the directory may not be used now; `undefined` while it may. */
  unconfirmedCause(): string | undefined;
  /** Why the last look at the registry failed; `undefined` when it did not. */
  failure(): string | undefined;
  /** Whether the directory comes from the last good copy, because the store has not confirmed it yet. */
  isFromCopy(): boolean;
  /** Begins to poll (T8). Resolves when the registry is confirmed for the first time, or taken from the last good copy. */
  start(): Promise<void>;
  stop(): void;
}

export function createTokenDirectory(
  options: StoreReading & {
    readonly maxStaleMs: number;
    /** Requests per window of a token without a limit of its own. */
    readonly defaultLimit: number;
  },
): TokenDirectory {
  const { store, logger, logFields, clocks, refreshMs, defaultLimit, mirror } = options;
  const registry = new Confirmed<Registry>({ ...options, what: tokensKey, outageTexts, read, restore });
  let polling = 0;
  let isSeen = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let onConfirmed = (): void => {};
  const confirmed = new Promise<void>((resolve) => {
    onConfirmed = resolve;
  });

  /** T10: a missing registry counts as empty only if there never was one, and an older one never replaces a newer one. */
  async function read(beganAtMs: number, signal: AbortSignal): Promise<Registry> {
    const held = registry.value ?? emptyRegistry;
    const result = await store.get(tokensKey, {
      ifNoneMatch: held.etag,
      signal,
      wholeUpTo: maxRegistryBytes,
    });
    if (result.kind === "not_modified") {
      // W85: what the copy has lost is read whole again, and so kept again.
      return mirror?.confirm(tokensKey, beganAtMs) === false ? { ...held, etag: undefined } : held;
    }
    if (result.kind === "missing") {
      if (held.revision === undefined) return emptyRegistry;
      throw new Failure("not_found", `${tokensKey} was there and is gone; restore it from a backup.`);
    }
    const bytes = await readBody(result, maxRegistryBytes, tokensKey);
    const parsed = await parseTokenRegistry(bytes);
    const { revision } = parsed;
    // A copy's revision counts as well, even if the copy is too old to be used (W79).
    const least = registry.value?.revision ?? revision;
    if (revision < least) {
      throw new Failure("corrupt_document", `${tokensKey} fell from revision ${least} to ${revision}.`);
    }
    // W170: a gateway that starts after this one must refuse the same tokens.
    await mirror?.keepRegistry(bytes, beganAtMs);
    return { table: tokenTable(parsed, defaultLimit), revision, bytes: bytes.length, etag: result.etag };
  }

  async function restore(): Promise<Copied<Registry> | undefined> {
    const copy = await mirror?.document(tokensKey);
    if (copy === undefined) return undefined;
    const parsed = await parseTokenRegistry(copy.value);
    const table = tokenTable(parsed, defaultLimit);
    const value = { table, revision: parsed.revision, bytes: copy.value.length, etag: undefined };
    return { value, confirmedAtMs: copy.confirmedAtMs };
  }

  async function poll(): Promise<void> {
    polling += 1;
    await registry.refresh();
    polling -= 1;
    const isConfirmed = registry.failure === undefined;
    if (isConfirmed && !isSeen) warnIfUseless();
    isSeen ||= isConfirmed;
    if (isConfirmed || registry.isFromCopy) onConfirmed();
  }

  function begin(): void {
    if (isStopped) return;
    timer = setInterval(() => {
      // A poll may hang while the store answers others, so the next poll does not wait for it.
      if (polling < maxPolls) void poll();
    }, refreshMs);
    void poll();
  }

  const table = (): TokenTable => registry.value?.table ?? emptyRegistry.table;
  const counts = (): Readonly<Record<TokenStatus, number>> => tokenCounts(table(), clocks.unixMs());

  /** No token is valid: either the installation is new, or `STORE_URL` names another store that somebody has begun. */
  function warnIfUseless(): void {
    if (counts().valid > 0) return;
    const cause = `${tokensKey} ${registry.value?.revision === undefined ? "is missing" : "has no valid token"}`;
    const fields = { cause, ...logFields() };
    logger.warn(fields, "every request gets 401 until a token is created; is it the right store?");
  }

  function unconfirmedCause(): string | undefined {
    if (registry.isUsable()) return undefined;
    return `the token registry is not confirmed: ${registry.failure?.cause.message ?? "it was not read yet"}`;
  }

  return {
    authenticate(digest) {
      const text = unconfirmedCause();
      if (text !== undefined) return { kind: "unconfirmed", cause: { code: "registry_unconfirmed", text } };
      const token = table().get(digest);
      if (token === undefined) return { kind: "refused", token, cause: unknownToken };
      const cause = causeAgainst(token, clocks.unixMs());
      return cause === undefined ? { kind: "accepted", token } : { kind: "refused", token, cause };
    },

    bytes: () => registry.value?.bytes ?? 0,
    counts,
    expiring: () => expiringTokens(table(), clocks.unixMs()),
    ageMs: () => registry.ageMs(),
    unconfirmedCause,
    failure: () => registry.failure?.cause.message,
    isFromCopy: () => registry.isFromCopy && registry.isUsable(),

    start() {
      void settledWithin(restoreWaitMs, registry.restore()).then(begin);
      return confirmed;
    },

    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

interface Registry {
  readonly table: TokenTable;
  /** `undefined` for a registry that never was. */
  readonly revision: number | undefined;
  readonly bytes: number;
  readonly etag: ETag | undefined;
}

const emptyRegistry: Registry = { table: new Map(), revision: undefined, bytes: 0, etag: undefined };
const outageTexts = {
  failed: "the token registry could not be confirmed",
  succeeded: "the token registry is confirmed again",
};
const maxPolls = 2;
/** The bound for a hanging disk. Reading 10,000 tokens takes a tenth of a second. */
const restoreWaitMs = 5000;
const unknownToken: Cause = { code: "unknown_token", text: "unknown token" };

/** The facts about a token that its requests need, above all the tenant (W4). */
export interface KnownToken {
  readonly tokenId: TokenId;
  readonly tenantId: TenantId;
  /** Requests per window. */
  readonly limit: number;
  /** Whether the token has the scope that every resource requires. */
  readonly mayRead: boolean;
  readonly isRevoked: boolean;
  /** Milliseconds since 1970; infinite without an expiry. */
  readonly expiresAtMs: number;
}

export type TokenStatus = "valid" | "expired" | "revoked";

/** The tokens of a registry. It includes revoked tokens, so that the log can tell them from unknown ones. */
export type TokenTable = ReadonlyMap<TokenDigest, KnownToken>;

/** `defaultLimit`: requests per window of a token without a limit of its own. */
export function tokenTable({ tokens }: TokenRegistry, defaultLimit: number): TokenTable {
  return new Map(
    tokens.map(({ sha256, tokenId, tenantId, scopes, rateLimit, revokedAt, expiresAt }) => [
      sha256,
      {
        tokenId,
        tenantId,
        limit: rateLimit ?? defaultLimit,
        mayRead: scopes.includes(readScope),
        isRevoked: revokedAt !== null,
        expiresAtMs: expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
      },
    ]),
  );
}

/** Why the token is not accepted at that time; `undefined` when it is. */
function causeAgainst(token: KnownToken, nowMs: number): Cause | undefined {
  if (token.isRevoked) return revokedToken;
  return token.expiresAtMs <= nowMs ? expiredToken : undefined;
}

const revokedToken: Cause = { code: "revoked_token", text: "revoked token" };
const expiredToken: Cause = { code: "expired_token", text: "expired token" };

/** How many tokens of each kind there are at that time. */
export function tokenCounts(table: TokenTable, nowMs: number): Readonly<Record<TokenStatus, number>> {
  const counts = { valid: 0, expired: 0, revoked: 0 };
  for (const { isRevoked, expiresAtMs } of table.values()) {
    counts[isRevoked ? "revoked" : expiresAtMs <= nowMs ? "expired" : "valid"] += 1;
  }
  return counts;
}

/** The tokens that are valid at that time and will expire, the soonest first, at most `maxExpiring`. */
export function expiringTokens(table: TokenTable, nowMs: number): readonly KnownToken[] {
  return [...table.values()]
    .filter(({ isRevoked, expiresAtMs }) => !isRevoked && expiresAtMs > nowMs && expiresAtMs < Infinity)
    .sort((a, b) => a.expiresAtMs - b.expiresAtMs)
    .slice(0, maxExpiring);
}

/** The metrics name at most so many expiring tokens: labels must not grow without bound. */
export const maxExpiring = 100;
