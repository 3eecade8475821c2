import type { TokenEntry, TokensDocument } from "../schemas/generated/types.ts";
import { isTokensDocument } from "../schemas/generated/validators-stored.ts";
import { Failure } from "./failure.ts";
import { isTenantId, isTokenId, type TenantId, type TokenId } from "./ids.ts";
import { documentBytes, parseStoredDocument } from "./stored-document.ts";
import type { TokenDigest } from "./token.ts";

/** What is known of a token; its plaintext is not. Times are RFC 3339, UTC. */
export interface RegisteredToken {
  readonly tokenId: TokenId;
  readonly sha256: TokenDigest;
  readonly tenantId: TenantId;
  readonly name: string | null;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  /** Requests per window; `null`: the gateway's general limit. */
  readonly rateLimit: number | null;
  readonly createdAt: string;
  /** A revoked token stays in the registry, so that support can say since when it is. */
  readonly revokedAt: string | null;
  readonly replaces: TokenId | null;
}

export interface TokenRegistry {
  /** Rises with every change, so that no two versions have the same bytes. */
  readonly revision: number;
  readonly tokens: readonly RegisteredToken[];
}

export const emptyRegistry: TokenRegistry = { revision: 0, tokens: [] };

/** 100,000 tokens are about 35 MB. */
export const maxRegistryBytes = 64 * 1024 * 1024;

/** The scope that every resource of the API requires. */
export const readScope = "programs.read";

/** Throws `corrupt_document`, also when two entries share an id or a digest. */
export function parseTokenRegistry(bytes: Uint8Array): TokenRegistry {
  const document = parseStoredDocument<TokensDocument>(bytes, isTokensDocument, "auth/tokens.json");
  const tokens = document.tokens.map(registeredToken);
  const unique = new Set(tokens.flatMap((token) => [token.tokenId, token.sha256]));
  if (unique.size !== tokens.length * 2) {
    throw new Failure("corrupt_document", "auth/tokens.json has two entries of the same token.");
  }
  return { revision: document.revision, tokens };
}

export function tokenRegistryBytes(registry: TokenRegistry): Buffer {
  const { revision, tokens } = registry;
  return documentBytes({ format: "partner-programs/tokens@1", revision, tokens });
}

/** `active` tokens authenticate at the instant `now`; the others get 401. */
export function tokenStatus(token: RegisteredToken, now: Date): "active" | "expired" | "revoked" {
  if (token.revokedAt !== null) return "revoked";
  if (token.expiresAt !== null && Date.parse(token.expiresAt) <= now.getTime()) return "expired";
  return "active";
}

function registeredToken(entry: TokenEntry): RegisteredToken {
  const { tokenId, tenantId, replaces } = entry;
  if (!isTokenId(tokenId) || !isTenantId(tenantId) || (replaces !== null && !isTokenId(replaces))) {
    throw new Failure("corrupt_document", "auth/tokens.json has an entry with an ill-formed id.");
  }
  return { ...entry, tokenId, tenantId, replaces, sha256: entry.sha256 as TokenDigest };
}
