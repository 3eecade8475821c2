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
  /** When its end began to be written, and when that was durable. Infinite while it is good. */
  endingAtMs: number;
  endedAtMs: number;
}

/** Issues a token by a command, `token create` or `token rotate`. */
export async function issueToken(args: readonly string[], env: NodeJS.ProcessEnv): Promise<SoakToken> {
  const { token, tokenId, tenantId } = JSON.parse(await runCli(["token", ...args, "--json"], env));
  const issuedAtMs = performance.now();
  const never = Number.POSITIVE_INFINITY;
  return { plaintext: token, tokenId, tenantId, issuedAtMs, endingAtMs: never, endedAtMs: never };
}

/** Replaces the oldest good token. */
export async function rotateToken(tokens: SoakToken[], env: NodeJS.ProcessEnv): Promise<void> {
  const old = tokens.find(({ endedAtMs }) => endedAtMs === Number.POSITIVE_INFINITY);
  if (old === undefined) throw new Error("no token is good");
  old.endingAtMs = performance.now();
  tokens.push(await issueToken(["rotate", old.tokenId], env));
  old.endedAtMs = performance.now();
  // Half of the requests bear a good token.
  if (tokens.length > 6) tokens.shift();
}

/** Changes a fifth of the tenant's programs in the booking database, and publishes it. */
export async function publishChange(
  tenantId: string,
  databaseUrl: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await queried(
    databaseUrl,
    `UPDATE booking.programs SET name = name || '.' WHERE company_code = '${tenantId}' AND random() < 0.2`,
  );
  await runCli(["snapshot", "build", "--tenant", tenantId], env);
}

/**
 * The digest of the only right body of each path in each snapshot of a store's folder: `<snapshot id>
 * <path>`.
 */
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
