import type { TokenDigest } from "../../core/documents/token.ts";
import { parseTokenRegistry, readScope, type TokenRegistry } from "../../core/documents/token-registry.ts";
import type { Cause } from "../../core/ground/cause-code.ts";
import { Failure } from "../../core/ground/failure.ts";
import type { TenantId, TokenId } from "../../core/ground/ids.ts";
import { maxRegistryBytes } from "../../core/ground/limits.ts";
import { tokensKey } from "../../core/ground/object-key.ts";
import { readBody } from "../../core/store/object-body.ts";
import type { ETag } from "../../core/store/object-store.ts";
import { settledWithin } from "../deadline.ts";
import { Confirmed, type StoreReading } from "./confirmed.ts";
import type { Copied } from "./mirror.ts";

export type Authentication =
  | { readonly kind: "accepted"; readonly token: KnownToken }
  | { readonly kind: "refused"; readonly token: KnownToken | undefined; readonly cause: Cause }
  /** T9: the registry was not confirmed for too long, so nobody knows whether the token is valid. */
  | { readonly kind: "unconfirmed"; readonly cause: Cause };

export interface TokenDirectoryOptions extends StoreReading {
  readonly maxStaleMs: number;
  /** Requests per window of a token without a limit of its own. */
  readonly defaultLimit: number;
}

/** All tokens in memory. An unknown token takes a look-up, never a call to the store. */
export class TokenDirectory {
  readonly #options: TokenDirectoryOptions;
  readonly #registry: Confirmed<Registry>;
  #onConfirmed = (): void => {};
  readonly #confirmed = new Promise<void>((resolve) => {
    this.#onConfirmed = resolve;
  });
  #polling = 0;
  #isSeen = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TokenDirectoryOptions) {
    this.#options = options;
    this.#registry = new Confirmed<Registry>({
      ...options,
      what: tokensKey,
      outageTexts,
      read: (beganAtMs, signal) => this.#read(beganAtMs, signal),
      restore: () => this.#restore(),
    });
  }

  authenticate(digest: TokenDigest): Authentication {
    const text = this.unconfirmedCause();
    if (text !== undefined) return { kind: "unconfirmed", cause: { code: "registry_unconfirmed", text } };
    const token = this.#table().get(digest);
    if (token === undefined) return { kind: "refused", token, cause: unknownToken };
    const cause = causeAgainst(token, this.#options.clocks.unixMs());
    return cause === undefined ? { kind: "accepted", token } : { kind: "refused", token, cause };
  }

  /** Milliseconds since the registry was last confirmed; infinite before the first time. */
  ageMs(): number {
    return this.#registry.ageMs();
  }

  /** The bytes of `auth/tokens.json`. T16: gateways refuse more than `maxRegistryBytes`. */
  bytes(): number {
    return this.#registry.value?.bytes ?? 0;
  }

  /** The number of tokens per status. */
  counts(): Readonly<Record<TokenStatus, number>> {
    return tokenCounts(this.#table(), this.#options.clocks.unixMs());
  }

  /** Valid tokens that will expire, the soonest first. */
  expiring(): readonly KnownToken[] {
    return expiringTokens(this.#table(), this.#options.clocks.unixMs());
  }

  /** Why the directory may not be used now; `undefined` while it may. */
  unconfirmedCause(): string | undefined {
    if (this.#registry.isUsable()) return undefined;
    return `the token registry is not confirmed: ${this.failure() ?? "it was not read yet"}`;
  }

  /** Why the last look at the registry failed; `undefined` when it did not. */
  failure(): string | undefined {
    return this.#registry.failure?.cause.message;
  }

  /** Whether the directory comes from the last good copy, because the store has not confirmed it yet. */
  isFromCopy(): boolean {
    return this.#registry.isFromCopy && this.#registry.isUsable();
  }

  /** Begins to poll (T8). Resolves when the registry is first confirmed, or taken from the last good copy. */
  start(): Promise<void> {
    void settledWithin(restoreWaitMs, this.#registry.restore()).then(() => this.#begin());
    return this.#confirmed;
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  #begin(): void {
    if (this.#isStopped) return;
    this.#timer = setInterval(() => {
      // A poll may hang while the store answers others, so the next poll does not wait for it.
      if (this.#polling < maxPolls) void this.#poll();
    }, this.#options.refreshMs);
    void this.#poll();
  }

  async #poll(): Promise<void> {
    this.#polling += 1;
    await this.#registry.refresh();
    this.#polling -= 1;
    const isConfirmed = this.#registry.failure === undefined;
    if (isConfirmed && !this.#isSeen) this.#warnIfUseless();
    this.#isSeen ||= isConfirmed;
    if (isConfirmed || this.#registry.isFromCopy) this.#onConfirmed();
  }

  /** No token is valid: the installation is new, or `STORE_URL` names another store that somebody began. */
  #warnIfUseless(): void {
    if (this.counts().valid > 0) return;
    const { logger, logFields } = this.#options;
    const isMissing = this.#registry.value?.revision === undefined;
    const cause = `${tokensKey} ${isMissing ? "is missing" : "has no valid token"}`;
    const fields = { cause, ...logFields() };
    logger.warn(fields, "every request gets 401 until a token is created; is it the right store?");
  }

  /** T10: a missing registry is empty only if there never was one; an older one never replaces a newer. */
  async #read(beganAtMs: number, signal: AbortSignal): Promise<Registry> {
    const { store, mirror } = this.#options;
    const held = this.#registry.value ?? emptyRegistry;
    const call = { ifNoneMatch: held.etag, signal, wholeUpTo: maxRegistryBytes };
    const result = await store.get(tokensKey, call);
    if (result.kind === "not_modified") {
      // W85: what the copy has lost is read whole again, and so kept again.
      return mirror?.confirm(tokensKey, beganAtMs) === false ? { ...held, etag: undefined } : held;
    }
    if (result.kind === "missing") {
      if (held.revision === undefined) return emptyRegistry;
      throw new Failure("not_found", `${tokensKey} was there and is gone; restore it from a backup.`);
    }
    const bytes = await readBody(result, maxRegistryBytes, tokensKey);
    const read = await this.#parsed(bytes, result.etag);
    // A copy's revision counts as well, even if the copy is too old to be used (W79).
    const least = this.#registry.value?.revision ?? read.revision;
    if (read.revision < least) {
      throw new Failure("corrupt_document", `${tokensKey} fell from revision ${least} to ${read.revision}.`);
    }
    // W170: a gateway that starts after this one must refuse the same tokens.
    await mirror?.keepRegistry(bytes, beganAtMs);
    return read;
  }

  async #restore(): Promise<Copied<Registry> | undefined> {
    const copy = await this.#options.mirror?.document(tokensKey);
    if (copy === undefined) return undefined;
    return { value: await this.#parsed(copy.value, undefined), confirmedAtMs: copy.confirmedAtMs };
  }

  async #parsed(bytes: Buffer, etag: ETag | undefined) {
    const parsed = await parseTokenRegistry(bytes);
    const table = tokenTable(parsed, this.#options.defaultLimit);
    return { table, revision: parsed.revision, bytes: bytes.length, etag };
  }

  #table(): TokenTable {
    return this.#registry.value?.table ?? emptyRegistry.table;
  }
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
