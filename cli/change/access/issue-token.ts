import {
  mintToken,
  type TokenPlaintext,
  tokenDigest,
  tokenRandomBytes,
} from "../../../core/documents/token.ts";
import { type RegisteredToken, readScope, tokenStatus } from "../../../core/documents/token-registry.ts";
import { Failure } from "../../../core/ground/failure.ts";
import { parseTokenId, randomBase62, type TenantId, type TokenId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { didYouMean, exactTime } from "../../output/words.ts";
import { assertNotRemoved, assertPublished } from "../../read/administration/known-tenant.ts";
import type { CliSettings, Shell } from "../../shell/shell.ts";
import type { Audit } from "../audit/audit.ts";
import { editRegistry } from "./edit-registry.ts";

/** What an operator decides about a token. */
type TokenTerms = Pick<RegisteredToken, "tenantId" | "name" | "scopes" | "expiresAt" | "rateLimit">;

export interface IssuedToken {
  /** To be printed once and kept nowhere. */
  readonly plaintext: TokenPlaintext;
  readonly entry: RegisteredToken;
}

export function issueToken(
  terms: TokenTerms,
  replaces: TokenId | null,
  now: Date,
  randomBytes: (size: number) => Uint8Array,
): IssuedToken {
  const plaintext = mintToken(randomBytes(tokenRandomBytes));
  const { tenantId, name, scopes, expiresAt, rateLimit } = terms;
  return {
    plaintext,
    entry: {
      tokenId: parseTokenId(`tok_${randomBase62(16, randomBytes)}`),
      sha256: tokenDigest(plaintext),
      tenantId,
      name,
      scopes,
      expiresAt,
      rateLimit,
      createdAt: now.toISOString(),
      revokedAt: null,
      replaces,
    },
  };
}

/**
 * T15: the last instant at which a token may end, by `TOKEN_MAX_LIFETIME`; `undefined` for no bound. Throws
 * `usage` when the operator asked by an option for a later end, or for one in the past. `past`: what follows
 * from that, or what to do instead.
 */
export function latestEnd(
  { tokenMaxLifetimeMs }: Pick<CliSettings, "tokenMaxLifetimeMs">,
  now: Date,
  { option = "", at, past = "" }: { option?: string; at?: Date | undefined; past?: string } = {},
): Date | undefined {
  if (at !== undefined && at <= now) throw new Failure("usage", `${option} lies in the past${past}`);
  if (tokenMaxLifetimeMs === undefined) return undefined;
  const last = new Date(now.getTime() + tokenMaxLifetimeMs);
  if (at === undefined || at <= last) return last;
  throw new Failure(
    "usage",
    `${option} lies beyond TOKEN_MAX_LIFETIME, which allows ${exactTime(last.toISOString())} at most; nothing was done.`,
  );
}

/** The earlier of a token's end and another one; `null`: the token has no end. */
export function earlierEnd(expiresAt: string | null, other: Date | undefined): string | null {
  if (other === undefined) return expiresAt;
  return expiresAt !== null && Date.parse(expiresAt) <= other.getTime() ? expiresAt : other.toISOString();
}

/** The tokens with another end for an active one (P84), which may lie before or after the one that it had. */
export function withEnd(
  tokens: readonly RegisteredToken[],
  active: RegisteredToken,
  expiresAt: string,
): readonly RegisteredToken[] {
  return tokens.map((token) => (token === active ? { ...token, expiresAt } : token));
}

/** The token, in force. Throws `not_found`; `usage` for a revoked or expired one: those stay ended. */
export function activeToken(
  tokens: readonly RegisteredToken[],
  tokenId: TokenId,
  now: Date,
): RegisteredToken {
  const token = tokens.find((candidate) => candidate.tokenId === tokenId);
  if (token === undefined) {
    const known = tokens.map((other) => other.tokenId);
    throw new Failure("not_found", `No token ${tokenId}; see \`token list\`.${didYouMean(tokenId, known)}`);
  }
  const status = tokenStatus(token, now);
  if (status === "active") return token;
  throw new Failure("usage", `Token ${tokenId} is ${status}; create a new one with \`token create\`.`);
}

/** The tokens with the given ones revoked; revoking one twice keeps the first time. Throws `not_found`. */
export function revoked(
  tokens: readonly RegisteredToken[],
  tokenIds: readonly TokenId[],
  now: Date,
): readonly RegisteredToken[] {
  const known = new Set(tokens.map(({ tokenId }) => tokenId));
  const unknown = tokenIds.filter((tokenId) => !known.has(tokenId));
  if (unknown.length > 0) {
    const what = `No token ${unknown.join(", ")}; nothing was revoked. See \`token list\`.`;
    throw new Failure("not_found", what);
  }
  const wanted = new Set(tokenIds);
  return tokens.map((token) =>
    wanted.has(token.tokenId) && token.revokedAt === null
      ? { ...token, revokedAt: now.toISOString() }
      : token,
  );
}

/** The tenant's tokens that are not revoked. */
export function unrevoked(tokens: readonly RegisteredToken[], tenant: TenantId): readonly TokenId[] {
  return tokens.flatMap(({ tokenId, tenantId, revokedAt }) =>
    tenantId === tenant && revokedAt === null ? [tokenId] : [],
  );
}

/** What `--json` shows of a token; a documented, stable shape. */
export function tokenMetadata(token: RegisteredToken) {
  const { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt } = token;
  return { tokenId, tenantId, name, scopes, expiresAt, rateLimit, createdAt };
}

interface TokenChange extends Pick<Shell, "now" | "randomBytes" | "signal"> {
  readonly store: ObjectStore;
  readonly audit: Audit;
}

/** What an operator asks for. */
interface AskedToken {
  readonly tenant: TenantId;
  readonly name: string | undefined;
  readonly scope: readonly string[] | undefined;
  readonly allowUnknownScope: boolean;
  readonly expires: Date | undefined;
  readonly rateLimit: number | undefined;
}

/** Throws `usage` for an end or a scope that makes no sense. */
export function tokenTerms(asked: AskedToken, settings: CliSettings, now: Date): TokenTerms {
  const { tenant: tenantId, expires, name = null, rateLimit = null } = asked;
  const past = "; the token would never work.";
  const last = latestEnd(settings, now, { option: "--expires", at: expires, past });
  const scopes = [...new Set(asked.scope ?? [readScope])];
  if (!asked.allowUnknownScope) assertKnown(scopes);
  return { tenantId, name, scopes, expiresAt: earlierEnd(expires?.toISOString() ?? null, last), rateLimit };
}

/** Refuses unknown scopes, because a mistyped scope would turn every request into a 403 (T12). */
function assertKnown(scopes: readonly string[]): void {
  const unknown = scopes.filter((scope) => scope !== readScope);
  if (unknown.length === 0) return;
  throw new Failure(
    "usage",
    `No resource asks for the scope ${unknown.join(", ")}; the known one is ${readScope}. ` +
      "If it is meant, pass --allow-unknown-scope.",
  );
}

export async function createToken(
  terms: TokenTerms,
  allowUnpublished: boolean,
  { store, audit, now, randomBytes, signal }: TokenChange,
): Promise<IssuedToken> {
  const { tenantId } = terms;
  const useless =
    `Tenant ${tenantId} has no published snapshot, so a token would only get errors. ` +
    "Check the id, build first, or pass --allow-unpublished.";
  // Most often, the id of a tenant without a snapshot was mistyped (T13).
  if (!allowUnpublished) await assertPublished(store, tenantId, signal, useless);
  const issued = issueToken(terms, null, now(), randomBytes);
  await editRegistry(store, audit, async (tokens) => {
    await assertNotRemoved(store, tenantId, signal);
    return [...tokens, issued.entry];
  });
  return issued;
}

/** T6: a token on the terms of the old one, which ends in the same write or at `oldEnds`. */
export async function rotateToken(
  tokenId: TokenId,
  ends: { readonly oldEnds: Date | undefined; readonly last: Date | undefined },
  change: TokenChange,
): Promise<{ readonly issued: IssuedToken; readonly oldEndsAt: string | null }> {
  const now = change.now();
  let rotated: { readonly issued: IssuedToken; readonly oldEndsAt: string | null } | undefined;
  await editRegistry(change.store, change.audit, (tokens) => {
    const old = activeToken(tokens, tokenId, now);
    const oldEndsAt = ends.oldEnds === undefined ? null : earlierEnd(old.expiresAt, ends.oldEnds);
    const terms = { ...old, expiresAt: earlierEnd(old.expiresAt, ends.last) };
    // All attempts store the same token, because an attempt whose answer was lost may have stored it.
    const issued = rotated?.issued ?? issueToken(terms, tokenId, now, change.randomBytes);
    rotated = { issued, oldEndsAt };
    const ended = oldEndsAt === null ? revoked(tokens, [tokenId], now) : withEnd(tokens, old, oldEndsAt);
    return [...ended, issued.entry];
  });
  if (rotated === undefined) throw new Error("the registry was edited without a token");
  return rotated;
}
