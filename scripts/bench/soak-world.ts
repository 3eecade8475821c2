import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "../../cli/demo/programs.ts";
import type { ManifestDocument } from "../../schemas/generated/types.ts";
import { queried } from "./queried.ts";

/** A token as the soak's clients use it. */
export interface SoakToken {
  readonly plaintext: string;
  readonly tokenId: string;
  readonly tenantId: string;
  readonly issuedAtMs: number;
  /** Infinite while it is good. */
  revokedAtMs: number;
  /** The revocation is being written: gateways may see it before the writer hears that it is durable. */
  isEnding: boolean;
}

/** What the two programs make of the seeded tenants while clients ask. */
export interface SoakWorld {
  readonly tokens: readonly SoakToken[];
  /** Changes a fifth of the tenant's programs in the booking database, and publishes it. */
  publish(tenantId: string): Promise<void>;
  /** Issues a token for the tenant. */
  issue(tenantId: string): Promise<void>;
  /** Replaces the tenant's oldest good token. */
  rotate(tenantId: string): Promise<void>;
}

/** `env` names the database and the store. */
export function createWorld(env: NodeJS.ProcessEnv, databaseUrl: string): SoakWorld {
  const tokens: SoakToken[] = [];
  let publications = 0;

  async function issueBy(args: readonly string[], tenantId: string): Promise<void> {
    const { token, tokenId } = JSON.parse(await runCli([...args, "--json"], env));
    const issuedAtMs = performance.now();
    const revokedAtMs = Number.POSITIVE_INFINITY;
    tokens.push({ plaintext: token, tokenId, tenantId, issuedAtMs, revokedAtMs, isEnding: false });
    // The oldest invalid tokens are no longer used.
    if (tokens.length > 40) tokens.splice(0, tokens.findIndex(isGood));
  }

  return {
    tokens,
    async publish(tenantId) {
      publications += 1;
      await queried(
        databaseUrl,
        `UPDATE booking.programs SET name = name || '.'
          WHERE company_code = '${tenantId}' AND abs(hashtext(code)) % 5 = ${publications % 5}`,
      );
      await runCli(["snapshot", "build", "--tenant", tenantId], env);
    },
    issue: (tenantId) => issueBy(["token", "create", "--tenant", tenantId], tenantId),
    async rotate(tenantId) {
      const old = tokens.find((token) => token.tenantId === tenantId && isGood(token));
      if (old === undefined) throw new Error(`${tenantId} has no good token`);
      old.isEnding = true;
      await issueBy(["token", "rotate", old.tokenId], tenantId);
      old.revokedAtMs = performance.now();
    },
  };
}

/** Whether the token has not been revoked. */
export function isGood({ revokedAtMs }: SoakToken): boolean {
  return revokedAtMs === Number.POSITIVE_INFINITY;
}

/** The digest of the only right body of each path in each snapshot of a store's folder: `<snapshot id> <path>`. */
export function publishedBodies(storeFolder: string): ReadonlyMap<string, string> {
  const bodies = new Map<string, string>();
  for (const file of readdirSync(storeFolder, { encoding: "utf8", recursive: true })) {
    if (!file.endsWith("manifest.json")) continue;
    const manifest: ManifestDocument = JSON.parse(readFileSync(join(storeFolder, file), "utf8"));
    bodies.set(`${manifest.snapshotId} /v1/programs`, manifest.list.sha256);
    bodies.set(`${manifest.snapshotId} /api/v1/partner/programs`, manifest.legacy.sha256);
    for (const [id, { sha256 }] of Object.entries(manifest.programs))
      bodies.set(`${manifest.snapshotId} /v1/programs/${id}`, sha256);
  }
  return bodies;
}
