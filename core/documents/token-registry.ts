import type { TokensDocument } from "../../schemas/generated/types.ts";
import { isTokensDocument } from "../../schemas/generated/validators-stored.ts";
import { Failure } from "../ground/failure.ts";
import type { TenantId, TokenId } from "../ground/ids.ts";
import { tokensKey } from "../ground/object-key.ts";
import { linedBytes, parseLargeDocument } from "../store/object-body.ts";
import type { TokenDigest } from "./token.ts";

/** A token in the registry (T5), without its plaintext. Times are RFC 3339, UTC. */
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
  /** T7: a revoked token stays in the registry, so that support can say when it was revoked; see T17. */
  readonly revokedAt: string | null;
  readonly replaces: TokenId | null;
}

export interface TokenRegistry {
  /** Rises with every change, so that no two versions have the same bytes. */
  readonly revision: number;
  readonly tokens: readonly RegisteredToken[];
}

const registryFormat = "partner-programs/tokens@1";

export const emptyRegistry: TokenRegistry = { revision: 0, tokens: [] };

/** The scope that every resource of the API requires. */
export const readScope = "programs.read";

/**
 * Made for 10,000 tokens; more take longer and are not refused. Throws `corrupt_document`, also when two
 * entries share an id or a digest, since nobody can say whose token it is then.
 */
export async function parseTokenRegistry(bytes: Uint8Array): Promise<TokenRegistry> {
  const document = await parseLargeDocument<TokensDocument>(bytes, isTokensDocument, "tokens", tokensKey);
  // The schema has the patterns of the ids.
  const tokens = document.tokens as readonly RegisteredToken[];
  const ids = new Set(tokens.map(({ tokenId }) => tokenId));
  const digests = new Set(tokens.map(({ sha256 }) => sha256));
  if (ids.size < tokens.length || digests.size < tokens.length) {
    throw new Failure("corrupt_document", `${tokensKey} has two entries of the same token.`);
  }
  return { revision: document.revision, tokens };
}

export function tokenRegistryBytes({ revision, tokens }: TokenRegistry): Buffer {
  const empty = { format: registryFormat, revision, tokens: [] };
  const entries = tokens.map((token) => JSON.stringify(token));
  return linedBytes(empty, entries);
}

/** The token's status at the instant `now`. Only `active` tokens authenticate; the others get 401. */
export function tokenStatus(token: RegisteredToken, now: Date): "active" | "expired" | "revoked" {
  if (token.revokedAt !== null) return "revoked";
  if (token.expiresAt !== null && Date.parse(token.expiresAt) <= now.getTime()) return "expired";
  return "active";
}
