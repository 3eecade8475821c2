import type { Cause } from "../core/cause-code.ts";
import type { TenantId, TokenId } from "../core/ids.ts";
import type { TokenSink } from "../core/read-token-registry.ts";
import type { TokenDigest } from "../core/token.ts";
import { type RegisteredToken, readScope } from "../core/token-registry.ts";
import { digestBytes, idBytes, type TokenRow, TokenRows } from "./token-rows.ts";

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

/** A valid token that will expire. */
export type ExpiringToken = Pick<KnownToken, "tokenId" | "tenantId" | "expiresAtMs">;

/** The metrics name at most so many expiring tokens: labels must not grow without bound. */
export const maxExpiring = 100;

/**
 * The tokens of one version of the registry. It includes revoked tokens, so that the log can tell them from unknown ones. A
 * token takes about 100 bytes that the garbage collector never visits. `get` makes the object for a request.
 */
export class TokenTable implements TokenSink {
  readonly #defaultLimit: number;
  readonly #rows = new TokenRows(rowBytes);
  /** A row holds the number of its tenant in this list, since many tokens share a tenant. */
  readonly #tenants: TenantId[] = [];
  readonly #tenantNumbers = new Map<TenantId, number>();

  /** `defaultLimit`: requests per window of a token without a limit of its own. */
  constructor(defaultLimit: number) {
    this.#defaultLimit = defaultLimit;
  }

  add({ sha256, tokenId, tenantId, scopes, rateLimit, revokedAt, expiresAt }: RegisteredToken): boolean {
    const row = this.#rows.add(sha256, tokenId.slice(idPrefix.length));
    if (row === undefined) return false;
    const { block, at } = row;
    block.writeUInt32LE(this.#tenantNumber(tenantId), at + tenantAt);
    block.writeDoubleLE(rateLimit ?? this.#defaultLimit, at + limitAt);
    block.writeDoubleLE(expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt), at + expiryAt);
    block[at + flagsAt] =
      (scopes.includes(readScope) ? mayReadBit : 0) | (revokedAt === null ? 0 : revokedBit);
    return true;
  }

  /** Forgets all tokens and keeps their memory. */
  clear(): void {
    this.#rows.clear();
    this.#tenants.length = 0;
    this.#tenantNumbers.clear();
  }

  get(digest: TokenDigest): KnownToken | undefined {
    const row = this.#rows.get(digest);
    return row && this.#token(row);
  }

  /** How many tokens of each kind there are at that time. */
  counts(nowMs: number): Readonly<Record<TokenStatus, number>> {
    const counts = { valid: 0, expired: 0, revoked: 0 };
    for (const row of this.#rows.all()) counts[statusOf(row, nowMs)] += 1;
    return counts;
  }

  /**
   * The tokens that are valid at that time and will expire, the soonest first, at most `maxExpiring`. Sorting 100,000 tokens
   * would delay requests by a tenth of a second at each scrape.
   */
  expiring(nowMs: number): readonly ExpiringToken[] {
    const soonest: { readonly row: TokenRow; readonly expiresAtMs: number }[] = [];
    let bound = Number.POSITIVE_INFINITY;
    for (const row of this.#rows.all()) {
      const expiresAtMs = expiryOf(row);
      if (expiresAtMs >= bound || statusOf(row, nowMs) !== "valid") continue;
      const place = soonest.findIndex((other) => other.expiresAtMs > expiresAtMs);
      soonest.splice(place === -1 ? soonest.length : place, 0, { row, expiresAtMs });
      if (soonest.length > maxExpiring) soonest.pop();
      if (soonest.length === maxExpiring) bound = soonest.at(-1)?.expiresAtMs ?? bound;
    }
    return soonest.map(({ row }) => this.#token(row));
  }

  #token(row: TokenRow): KnownToken {
    const { block, at } = row;
    const tenantId = this.#tenants[block.readUInt32LE(at + tenantAt)];
    if (tenantId === undefined) throw new RangeError("a row without a tenant");
    const flags = block[at + flagsAt] ?? 0;
    return {
      tokenId: `${idPrefix}${block.toString("latin1", at + digestBytes, at + tenantAt)}` as TokenId,
      tenantId,
      limit: block.readDoubleLE(at + limitAt),
      mayRead: (flags & mayReadBit) !== 0,
      isRevoked: (flags & revokedBit) !== 0,
      expiresAtMs: expiryOf(row),
    };
  }

  #tenantNumber(tenantId: TenantId): number {
    const known = this.#tenantNumbers.get(tenantId);
    if (known !== undefined) return known;
    const number = this.#tenants.push(tenantId) - 1;
    this.#tenantNumbers.set(tenantId, number);
    return number;
  }
}

/** Why the token is not accepted at that time; `undefined` when it is. */
export function causeAgainst(token: KnownToken, nowMs: number): Cause | undefined {
  if (token.isRevoked) return revokedToken;
  return token.expiresAtMs <= nowMs ? expiredToken : undefined;
}

const revokedToken: Cause = { code: "revoked_token", text: "revoked token" };
const expiredToken: Cause = { code: "expired_token", text: "expired token" };

function statusOf(row: TokenRow, nowMs: number): TokenStatus {
  if (((row.block[row.at + flagsAt] ?? 0) & revokedBit) !== 0) return "revoked";
  return expiryOf(row) <= nowMs ? "expired" : "valid";
}

function expiryOf({ block, at }: TokenRow): number {
  return block.readDoubleLE(at + expiryAt);
}

const idPrefix = "tok_";
// After digest and id, a row holds the tenant's number, the limit, the expiry, and two flags.
const tenantAt = digestBytes + idBytes;
const limitAt = tenantAt + 4;
const expiryAt = limitAt + 8;
const flagsAt = expiryAt + 8;
const rowBytes = flagsAt + 1;
const mayReadBit = 1;
const revokedBit = 2;
