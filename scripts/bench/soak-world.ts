import { randomBytes } from "node:crypto";
import { issueToken, revoked } from "../../cli/operate/tokens/issue-token.ts";
import { parseTenantId, type StoreId, type TenantId, type TokenId } from "../../core/ids.ts";
import type { Manifest } from "../../core/manifest.ts";
import { bytesBody } from "../../core/object-body.ts";
import { storeKey, tokensKey } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { storeIdentityBytes } from "../../core/store-identity.ts";
import { type RegisteredToken, readScope, tokenRegistryBytes } from "../../core/token-registry.ts";
import { prepareTenant } from "./synthetic-tenant.ts";

/** A token as the soak's clients use it. */
export interface SoakToken {
  readonly plaintext: string;
  readonly tokenId: TokenId;
  readonly tenantId: TenantId;
  readonly issuedAtMs: number;
  /** Infinite while it is good. */
  revokedAtMs: number;
  /** The revocation is being written: gateways may see it before the writer hears that it is durable. */
  isEnding: boolean;
}

/** What is published, which decides how every answer must look. */
export interface SoakWorld {
  readonly tenants: readonly TenantId[];
  readonly tokens: readonly SoakToken[];
  /** Digest of the only right body of the path in the snapshot; `undefined`: the snapshot has none. */
  expected(snapshot: string, path: string): string | undefined;
  /** Publishes the tenant's next generation: a changed list, some changed details. */
  publish(tenantId: TenantId): Promise<void>;
  /** Issues a token for the tenant and revokes its oldest good one. */
  rotate(tenantId: TenantId): Promise<void>;
}

export const programsPerTenant = 20;

/** Tenants with lists of growing size, the last one's far above what a small cache takes. */
export async function createWorld(store: ObjectStore, listBytes: readonly number[]): Promise<SoakWorld> {
  const tenants = listBytes.map((_, at) => parseTenantId(`tenant-${at}`));
  const live = new Map<TenantId, Manifest>();
  const expected = new Map<string, string>();
  const tokens: SoakToken[] = [];
  let registry: readonly RegisteredToken[] = [];
  let revision = 0;
  const storeId = `store_${randomBytes(8).toString("hex")}` as StoreId;
  await store.put(storeKey, bytesBody(storeIdentityBytes({ storeId, createdAt: new Date().toISOString() })));

  async function publish(tenantId: TenantId): Promise<void> {
    const previous = live.get(tenantId);
    const generation = (previous?.generation ?? 0) + 1;
    const body = (name: string, bytes: number): Buffer => {
      const text = `${tenantId} ${generation} ${name} `;
      return Buffer.from(JSON.stringify({ data: text.repeat(Math.ceil(bytes / text.length)) }));
    };
    const list = body("list", listBytes[tenants.indexOf(tenantId)] ?? 1000);
    const details = new Map<string, Buffer>();
    for (let at = 0; at < programsPerTenant; at += 1) {
      // A few change with each generation; the others are the files of earlier ones.
      const isChanged = previous === undefined || (at + generation) % 5 === 0;
      if (isChanged) details.set(`p${at}`, body(`p${at}`, 3000));
    }
    const { manifest, goLive } = await prepareTenant(store, tenantId, {
      generation,
      list,
      details,
      previous,
    });
    const note = (path: string, sha256: string | undefined): void => {
      if (sha256 !== undefined) expected.set(`${manifest.snapshotId} ${path}`, sha256);
    };
    note("/v1/programs", manifest.list.sha256);
    note("/api/v1/partner/programs", manifest.legacy.sha256);
    for (const id of manifest.programs.ids()) note(`/v1/programs/${id}`, manifest.programs.get(id)?.sha256);
    await goLive();
    live.set(tenantId, manifest);
  }

  async function rotate(tenantId: TenantId): Promise<void> {
    const now = new Date();
    const terms = { tenantId, name: null, scopes: [readScope], expiresAt: null, rateLimit: null };
    const { plaintext, entry } = issueToken(terms, null, now, randomBytes);
    const good = tokens.filter((token) => token.tenantId === tenantId && isGood(token));
    const old = good.length > 1 ? good[0] : undefined;
    registry = [...revoked(registry, old === undefined ? [] : [old.tokenId], now), entry];
    revision += 1;
    if (old !== undefined) old.isEnding = true;
    await store.put(tokensKey, bytesBody(tokenRegistryBytes({ revision, tokens: registry })));
    const nowMs = performance.now();
    const { tokenId } = entry;
    const revokedAtMs = Number.POSITIVE_INFINITY;
    tokens.push({ plaintext, tokenId, tenantId, issuedAtMs: nowMs, revokedAtMs, isEnding: false });
    if (old !== undefined) old.revokedAtMs = nowMs;
    // The oldest invalid tokens are no longer used.
    if (tokens.length > 40) tokens.splice(0, tokens.findIndex(isGood));
  }

  const world: SoakWorld = {
    tenants,
    tokens,
    expected: (snapshot, path) => expected.get(`${snapshot} ${path}`),
    publish,
    rotate,
  };
  for (const tenantId of tenants) {
    await publish(tenantId);
    await rotate(tenantId);
    await rotate(tenantId);
  }
  return world;
}

/** Whether the token has not been revoked. */
export function isGood({ revokedAtMs }: SoakToken): boolean {
  return revokedAtMs === Number.POSITIVE_INFINITY;
}
