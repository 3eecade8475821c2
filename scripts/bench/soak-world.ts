import { createHash, randomBytes } from "node:crypto";
import { type Current, currentBytes } from "../../core/current.ts";
import { parseProgramId, parseTenantId, parseTokenId, snapshotId, type TenantId } from "../../core/ids.ts";
import { type Manifest, manifestText } from "../../core/manifest.ts";
import { bytesBody } from "../../core/object-body.ts";
import {
  currentKey,
  manifestKey,
  type ResponseName,
  responseKey,
  responsePath,
  tokensKey,
} from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { ProgramTable } from "../../core/program-table.ts";
import { mintToken, tokenDigest, tokenRandomBytes } from "../../core/token.ts";
import { type RegisteredToken, readScope, tokenRegistryBytes } from "../../core/token-registry.ts";
import { publishedContract } from "../../schemas/generated/validators-published.ts";

/** A token as the soak's clients use it. */
export interface SoakToken {
  readonly plaintext: string;
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
  const generations = new Map<TenantId, number>();
  const previous = new Map<TenantId, Manifest>();
  const expected = new Map<string, string>();
  const tokens: SoakToken[] = [];
  const registry: RegisteredToken[] = [];
  let revision = 0;

  async function publish(tenantId: TenantId): Promise<void> {
    const generation = (generations.get(tenantId) ?? 0) + 1;
    const now = new Date();
    const id = snapshotId(now, randomBytes(4));
    const put = async (name: ResponseName, bytes: number): Promise<Manifest["list"]> => {
      const text = `${tenantId} ${generation} ${responsePath(name)} `;
      const body = bytesBody(
        Buffer.from(JSON.stringify({ data: text.repeat(Math.ceil(bytes / text.length)) })),
      );
      const key = responseKey(tenantId, id, name);
      await store.put(key, body);
      return { key, sha256: body.sha256, size: body.size };
    };
    const note = (name: ResponseName, sha256: string): void => {
      expected.set(`${id} /${responsePath(name).replace(/\.json$/, "")}`, sha256);
    };
    const programs = new ProgramTable();
    for (let at = 0; at < programsPerTenant; at += 1) {
      const programId = parseProgramId(`p${at}`);
      const name: ResponseName = { kind: "detail", programId };
      const old = previous.get(tenantId)?.programs.get(programId);
      // A few change with each generation; the others are the files of earlier ones.
      const isKept = old !== undefined && (at + generation) % 5 !== 0;
      const entry = isKept ? old : { ...(await put(name, 3000)), snapshotId: id };
      programs.add(programId, { snapshotId: entry.snapshotId, sha256: entry.sha256, size: entry.size });
      note(name, entry.sha256);
    }
    const list = await put({ kind: "list" }, listBytes[tenants.indexOf(tenantId)] ?? 1000);
    const legacy = await put({ kind: "legacy" }, 1000);
    note({ kind: "list" }, list.sha256);
    note({ kind: "legacy" }, legacy.sha256);
    const manifest: Manifest = {
      tenantId,
      generation,
      snapshotId: id,
      parent: previous.get(tenantId)?.snapshotId ?? null,
      generatedAt: now.toISOString(),
      contract: publishedContract,
      list,
      legacy,
      programs,
    };
    const bytes = Buffer.from([...manifestText(manifest)].join(""));
    await store.put(manifestKey(tenantId, id), bytesBody(bytes));
    const current: Current = {
      tenantId,
      generation,
      snapshotId: id,
      manifestSha256: createHash("sha256").update(bytes).digest("hex"),
      publishedAt: now.toISOString(),
      hold: null,
      nonce: randomBytes(16).toString("hex"),
    };
    await store.put(currentKey(tenantId), bytesBody(currentBytes(current)));
    generations.set(tenantId, generation);
    previous.set(tenantId, manifest);
  }

  async function rotate(tenantId: TenantId): Promise<void> {
    const plaintext = mintToken(randomBytes(tokenRandomBytes));
    const good = tokens.filter(
      (token) => token.tenantId === tenantId && token.revokedAtMs === Number.POSITIVE_INFINITY,
    );
    const old = good.length > 1 ? good[0] : undefined;
    const oldDigest =
      old === undefined ? undefined : createHash("sha256").update(old.plaintext).digest("hex");
    const at = registry.findIndex(({ sha256 }) => sha256 === oldDigest);
    const revokedAt = new Date().toISOString();
    registry.splice(
      0,
      registry.length,
      ...registry.map((entry, index) => (index === at ? { ...entry, revokedAt } : entry)),
    );
    registry.push({
      tokenId: parseTokenId(`tok_${randomBytes(8).toString("hex")}`),
      sha256: tokenDigest(plaintext),
      tenantId,
      name: null,
      scopes: [readScope],
      expiresAt: null,
      rateLimit: null,
      createdAt: revokedAt,
      revokedAt: null,
      replaces: null,
    });
    revision += 1;
    if (old !== undefined) old.isEnding = true;
    await store.put(tokensKey, bytesBody(tokenRegistryBytes({ revision, tokens: registry })));
    const nowMs = performance.now();
    tokens.push({
      plaintext,
      tenantId,
      issuedAtMs: nowMs,
      revokedAtMs: Number.POSITIVE_INFINITY,
      isEnding: false,
    });
    if (old !== undefined) old.revokedAtMs = nowMs;
    // The oldest invalid tokens are no longer used.
    if (tokens.length > 40)
      tokens.splice(
        0,
        tokens.findIndex((token) => token.revokedAtMs === Number.POSITIVE_INFINITY),
      );
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
