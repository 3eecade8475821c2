import { setTimeout as delay } from "node:timers/promises";
import {
  parseTokenRegistry,
  type RegisteredToken,
  type TokenRegistry,
  tokenRegistryBytes,
} from "../../../core/documents/token-registry.ts";
import { asFailure, Failure } from "../../../core/ground/failure.ts";
import { maxRegistryBytes } from "../../../core/ground/limits.ts";
import { tokensKey } from "../../../core/ground/object-key.ts";
import { bytesBody } from "../../../core/store/object-body.ts";
import type { ObjectStore, PutCondition } from "../../../core/store/object-store.ts";
import type { TokenState } from "../../../schemas/generated/types.ts";
import { readRegistry, registryFailure } from "../../read/administration/read-registry.ts";
import { type Audit, type AuditChange, maxChanges } from "../audit/audit.ts";

/** A script may create a hundred tokens at once. Each conflict is another's success, so it ends. */
const maxWaitMs = 30_000;
/** Pauses are random, so that two colliding writers do not collide again. */
const maxPauseMs = 200;

/** Returns the new tokens, or the list that it was given for no change. */
export type EditTokens = (
  tokens: readonly RegisteredToken[],
) => readonly RegisteredToken[] | Promise<readonly RegisteredToken[]>;

/**
 * Replaces the tokens with the result of `edit`, by one compare-and-swap (T11). After a conflict `edit` runs
 * again. After an unclear answer the registry is read back, and the change counts as done when it is there.
 * `edit` throws to refuse. The audit is told what is planned and what was changed, and a doubt when the
 * registry cannot be read back, so that nobody knows.
 */
export async function editRegistry(
  store: ObjectStore,
  audit: Pick<Audit, "plan" | "note" | "doubt" | "warn">,
  edit: EditTokens,
): Promise<void> {
  for (const began = performance.now(); performance.now() - began < maxWaitMs; ) {
    const { registry, etag } = await readRegistry(store);
    const wanted = await edit(registry.tokens);
    if (wanted === registry.tokens) return audit.plan([]);
    const changed = tokenChanges(registry.tokens, wanted);
    const { edited, bytes, forgotten } = await nextRegistry(registry, wanted, changed);
    const changes = [...changed, ...forgotten];
    audit.plan(changes);
    if (bytes.length >= halfFullBytes) audit.warn(halfFull(bytes.length));
    const condition: PutCondition = etag === undefined ? { kind: "absent" } : { kind: "match", etag };
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
    if (holds(found, edited, changes)) return audit.note(changes);
    if (unclear !== undefined) throw unclear;
    await delay(Math.random() * maxPauseMs);
  }
  const what = "auth/tokens.json changed all the time; nothing was done, try again.";
  throw new Failure("store_unavailable", what);
}

/**
 * The registry with the wanted tokens, and its bytes. T17: from half of what readers take on, entries that
 * ended long ago are left out, at most as many as the audit's record has room for. T16: a registry that its
 * readers would refuse is not written, nor one in which there would be no room left to revoke every token.
 */
async function nextRegistry(
  registry: TokenRegistry,
  wanted: readonly RegisteredToken[],
  changes: readonly AuditChange[],
): Promise<{
  readonly edited: TokenRegistry;
  readonly bytes: Buffer;
  readonly forgotten: readonly AuditChange[];
}> {
  let edited = { revision: registry.revision + 1, tokens: wanted };
  let bytes = tokenRegistryBytes(edited);
  let gone: readonly RegisteredToken[] = [];
  if (bytes.length >= halfFullBytes) {
    gone = forgettable(registry.tokens, wanted, Math.max(0, maxChanges - changes.length));
    const left = new Set(gone);
    edited = { ...edited, tokens: wanted.filter((token) => !left.has(token)) };
    bytes = tokenRegistryBytes(edited);
  }
  const isRevoking = changes.every((change) => change.kind === "token" && isRevocation(change));
  const revocable = isRevoking ? 0 : edited.tokens.filter(({ revokedAt }) => revokedAt === null).length;
  if (bytes.length + revocable * revocationBytes > maxRegistryBytes) {
    throw new Failure(
      "unrecorded",
      `With this change ${tokensKey} would have ${bytes.length} bytes, and gateways take ${maxRegistryBytes} with room to revoke every token. Nothing was done. ` +
        "Use one token for each partner, with an end (`--expires`, TOKEN_MAX_LIFETIME): entries go 400 days after their end.",
    );
  }
  await assertReadable(bytes);
  const forgotten = gone.map((token): AuditChange => {
    return { kind: "forgotten", tokenId: token.tokenId, before: tokenState(token) };
  });
  return { edited, bytes, forgotten };
}

const halfFullBytes = maxRegistryBytes / 2;
/** A time in place of `null`. */
const revocationBytes = JSON.stringify(new Date(0).toISOString()).length - "null".length;

function isRevocation({ before, after }: Extract<AuditChange, { kind: "token" }>): boolean {
  return before !== null && before.revokedAt === null && after.revokedAt !== null;
}

function halfFull(bytes: number): string {
  const share = Math.floor((bytes / maxRegistryBytes) * 100);
  return `${tokensKey} is at ${share} % of what gateways take. Entries of tokens that ended over 400 days ago are dropped; give tokens an end (\`--expires\`, TOKEN_MAX_LIFETIME).`;
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

/** A registry that no gateway accepts would lock out every partner. This is the last check of several. */
async function assertReadable(bytes: Buffer): Promise<void> {
  try {
    await parseTokenRegistry(bytes);
  } catch (error) {
    const { message } = asFailure(error);
    const what = "The change would break the token registry; nothing was written.";
    throw new Failure("internal", `${what} ${message}`, { cause: error });
  }
}

/** Whether `found` has each changed entry as it was written. Others may have been forgotten since (T17). */
function holds(found: TokenRegistry, edited: TokenRegistry, changes: readonly AuditChange[]): boolean {
  if (found.revision < edited.revision) return false;
  const changed = new Set(changes.flatMap((change) => (change.kind === "token" ? [change.tokenId] : [])));
  const entries = new Set(found.tokens.map((token) => JSON.stringify(token)));
  return edited.tokens.every((token) => !changed.has(token.tokenId) || entries.has(JSON.stringify(token)));
}

/** How long support can say of a token that it has ended, and when. */
const rememberedMs = 400 * 24 * 3600 * 1000;

/**
 * T17: the entries that an edit drops from a registry that gets large, those that ended first before others.
 * They were revoked or expired more than 400 days before the newest time that the registry itself knows: a
 * clock that is wrong for a moment must not forget what ended yesterday. What this edit changes stays, and so
 * does what replaced an entry that stays, since support follows the chain from a token to the one that is in
 * force.
 */
function forgettable(
  known: readonly RegisteredToken[],
  wanted: readonly RegisteredToken[],
  maxCount: number,
): readonly RegisteredToken[] {
  let newest = 0;
  for (const { createdAt, revokedAt } of known) {
    newest = Math.max(newest, Date.parse(createdAt), revokedAt === null ? 0 : Date.parse(revokedAt));
  }
  const before = newest - rememberedMs;
  const unchanged = new Set(known);
  const kept = new Set(wanted.map(({ tokenId }) => tokenId));
  const ended = wanted
    .map((token) => ({ token, endedAt: endOf(token) }))
    .filter(({ token, endedAt }) => endedAt < before && unchanged.has(token))
    .sort((a, b) => a.endedAt - b.endedAt);
  const gone: RegisteredToken[] = [];
  for (const { token } of ended) {
    if (gone.length >= maxCount) break;
    if (token.replaces !== null && kept.has(token.replaces)) continue;
    kept.delete(token.tokenId);
    gone.push(token);
  }
  return gone;
}

/** When the token stopped to authenticate; infinite for one that has no end. */
function endOf({ revokedAt, expiresAt }: RegisteredToken): number {
  const instantOf = (at: string | null): number => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at));
  return Math.min(instantOf(revokedAt), instantOf(expiresAt));
}
