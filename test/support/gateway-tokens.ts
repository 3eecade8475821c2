import { randomBytes } from "node:crypto";
import { mintToken, type TokenPlaintext, tokenDigest, tokenRandomBytes } from "../../core/documents/token.ts";
import { type RegisteredToken, readScope, tokenRegistryBytes } from "../../core/documents/token-registry.ts";
import { parseTenantId, parseTokenId } from "../../core/ground/ids.ts";
import { tokensKey } from "../../core/ground/object-key.ts";
import { bytesBody } from "../../core/store/object-body.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { beginTestStore, testStoreId } from "./begun-store.ts";

/** A token as a test issues it: the plaintext and its entry in the registry. */
export interface IssuedToken {
  readonly plaintext: TokenPlaintext;
  readonly entry: RegisteredToken;
}

export function issueToken(tenant: string, overrides: Partial<RegisteredToken> = {}): IssuedToken {
  const plaintext = mintToken(randomBytes(tokenRandomBytes));
  return {
    plaintext,
    entry: {
      tokenId: parseTokenId(`tok_${randomBytes(8).toString("hex")}`),
      sha256: tokenDigest(plaintext),
      tenantId: parseTenantId(tenant),
      name: null,
      scopes: [readScope],
      expiresAt: null,
      rateLimit: null,
      createdAt: "2026-01-01T00:00:00.000Z",
      revokedAt: null,
      replaces: null,
      ...overrides,
    },
  };
}

export function revoked(token: IssuedToken): IssuedToken {
  return { ...token, entry: { ...token.entry, revokedAt: "2026-01-02T00:00:00.000Z" } };
}

/**
 * A registry that a test edits. Each write is a new revision. The first one begins the store, unless the test
 * did.
 */
export interface TokenFile {
  write(tokens: readonly IssuedToken[]): Promise<void>;
}

export function createTokenFile(store: ObjectStore): TokenFile {
  let revision = 0;
  return {
    async write(tokens) {
      revision += 1;
      if (revision === 1) await beginTestStore(store, testStoreId(), { kind: "absent" });
      const bytes = tokenRegistryBytes({ revision, tokens: tokens.map(({ entry }) => entry) });
      await store.put(tokensKey, bytesBody(bytes));
    },
  };
}
