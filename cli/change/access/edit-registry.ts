import { setTimeout as delay } from "node:timers/promises";
import { asFailure, Failure } from "../../../core/failure.ts";
import { bytesBody } from "../../../core/object-body.ts";
import { tokensKey } from "../../../core/object-key.ts";
import type { ObjectStore, PutCondition } from "../../../core/object-store.ts";
import {
  parseTokenRegistry,
  type RegisteredToken,
  type TokenRegistry,
  tokenRegistryBytes,
} from "../../../core/token-registry.ts";
import type { TokenState } from "../../../schemas/generated/types.ts";
import { readRegistry, registryFailure } from "../../read/administration/read-registry.ts";
import type { Audit, AuditChange } from "../audit/audit.ts";

/** A script may create a hundred tokens side by side. Each conflict is somebody else's success, so it ends. */
const maxWaitMs = 30_000;
/** Pauses are random, so that two colliding writers do not collide again. */
const maxPauseMs = 200;

/** Returns the new tokens, or the list that it was given for no change. */
export type EditTokens = (
  tokens: readonly RegisteredToken[],
) => readonly RegisteredToken[] | Promise<readonly RegisteredToken[]>;

/**
 * Replaces the tokens with the result of `edit`, by one compare-and-swap (T11). After a conflict `edit` runs again. After an
 * unclear answer the registry is read back, and the change counts as done when it is there. `edit` throws to refuse. The audit is
 * told what is planned and what was changed, and a doubt when the registry cannot be read back, so that nobody knows.
 */
export async function editRegistry(
  store: ObjectStore,
  audit: Pick<Audit, "plan" | "note" | "doubt">,
  edit: EditTokens,
): Promise<void> {
  for (const began = performance.now(); performance.now() - began < maxWaitMs; ) {
    const { registry, etag } = await readRegistry(store);
    const tokens = await edit(registry.tokens);
    const changes = tokenChanges(registry.tokens, tokens);
    audit.plan(changes);
    if (tokens === registry.tokens) return;
    const edited = { revision: registry.revision + 1, tokens };
    const condition: PutCondition = etag === undefined ? { kind: "absent" } : { kind: "match", etag };
    const bytes = await readableBytes(edited);
    let unclear: unknown;
    try {
      const result = await store.put(tokensKey, bytesBody(bytes), { condition });
      if (result.kind === "stored") return audit.note(changes);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "store_unavailable")
        throw registryFailure(store, error);
      unclear = error;
    }
    const { registry: found } = await readRegistry(store).catch((error: unknown) => {
      audit.doubt();
      throw error;
    });
    if (holds(found, edited)) return audit.note(changes);
    if (unclear !== undefined) throw unclear;
    await delay(Math.random() * maxPauseMs);
  }
  const what = "auth/tokens.json changed all the time; nothing was done, try again.";
  throw new Failure("store_unavailable", what);
}

/** P85: the tokens that differ between two lists, without plaintext or digest. */
function tokenChanges(
  before: readonly RegisteredToken[],
  after: readonly RegisteredToken[],
): readonly AuditChange[] {
  const known = new Map(before.map((token) => [token.tokenId, token]));
  return after.flatMap((token): readonly AuditChange[] => {
    const was = known.get(token.tokenId);
    if (was === token) return [];
    const { tokenId } = token;
    return [{ kind: "token", tokenId, before: was ? tokenState(was) : null, after: tokenState(token) }];
  });
}

function tokenState(token: RegisteredToken): TokenState {
  const { tenantId, name, scopes, expiresAt, rateLimit, revokedAt } = token;
  return { tenantId, name, scopes: [...scopes], expiresAt, rateLimit, revokedAt };
}

/** A registry that no gateway accepts would lock out every partner. Options are checked before; this is the last check. */
async function readableBytes(registry: TokenRegistry): Promise<Buffer> {
  const bytes = tokenRegistryBytes(registry);
  try {
    await parseTokenRegistry(bytes);
    return bytes;
  } catch (error) {
    const { message } = asFailure(error);
    const what = "The change would break the token registry; nothing was written.";
    throw new Failure("internal", `${what} ${message}`, { cause: error });
  }
}

/** Whether every entry of `edited` is in `found` as it was written: entries are never removed. */
function holds(found: TokenRegistry, edited: TokenRegistry): boolean {
  if (found.revision < edited.revision) return false;
  const entries = new Set(found.tokens.map((token) => JSON.stringify(token)));
  return edited.tokens.every((token) => entries.has(JSON.stringify(token)));
}
