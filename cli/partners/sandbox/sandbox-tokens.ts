import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import type { TokenPlaintext } from "../../../core/token.ts";
import { type RegisteredToken, readScope, tokenStatus } from "../../../core/token-registry.ts";
import type { Audit } from "../../operate/audit/audit.ts";
import { assertNotRemoved } from "../../operate/tokens/assert-published.ts";
import { editRegistry, readRegistry } from "../../operate/tokens/edit-registry.ts";
import {
  earlierEnd,
  type IssuedToken,
  issueToken,
  latestEnd,
  revoked,
} from "../../operate/tokens/issue-token.ts";
import { type Shell, settingsOf } from "../../shell/shell.ts";

/** The kinds of tokens in the sandbox. A request with each kind shows another case of the gateway's answers. */
const sandboxTokenKinds = ["good", "small-quota", "without-scope", "expired", "revoked"] as const;
export type SandboxTokenKind = (typeof sandboxTokenKinds)[number];

export interface SandboxToken {
  readonly kind: SandboxTokenKind;
  readonly entry: RegisteredToken;
  /** The plaintext of a token that was issued just now. Nobody has the plaintext of an older token, so it is `undefined`. */
  readonly plaintext: TokenPlaintext | undefined;
}

/** A quota that a partner can use up by hand. */
const smallQuota = 3;
/** The expiry lies this long in the past, since a gateway's clock may be behind. */
const expiredForMs = 24 * 3_600_000;

/**
 * Provides one token of each kind, however often it runs (P97). It keeps the tokens that still work as their kind should, and
 * issues the missing ones. With `rotate` it issues all of them, and revokes the old ones in the same write (T6). Throws `usage`
 * when the sandbox was removed meanwhile (P91).
 */
export async function provideSandboxTokens(
  store: ObjectStore,
  tenantId: TenantId,
  rotate: boolean,
  shell: Shell,
  audit: Audit,
): Promise<readonly SandboxToken[]> {
  const { signal, randomBytes } = shell;
  const at = shell.now();
  const last = latestEnd(settingsOf(shell), at);
  const fresh = new Map<SandboxTokenKind, IssuedToken>();
  const provided = (tokens: readonly RegisteredToken[]): readonly SandboxToken[] =>
    sandboxTokenKinds.map((kind) => {
      const known = rotate ? undefined : tokens.findLast((token) => isOfKind(token, tenantId, kind, at));
      if (known !== undefined) return { kind, entry: known, plaintext: undefined };
      const { entry, plaintext } = fresh.get(kind) ?? newToken(tenantId, kind, at, last, randomBytes);
      fresh.set(kind, { entry, plaintext });
      return { kind, entry, plaintext };
    });
  let result = provided((await readRegistry(store)).registry.tokens);
  if (fresh.size === 0) return result;
  await editRegistry(store, audit, async (tokens) => {
    await assertNotRemoved(store, tenantId, signal, "Run `sandbox init` again.");
    result = provided(tokens);
    const replaced = tokens.filter(
      (token) => rotate && token.revokedAt === null && isOfSandbox(token, tenantId),
    );
    const replacedIds = replaced.map(({ tokenId }) => tokenId);
    const issued = result.flatMap(({ entry, plaintext }) => (plaintext === undefined ? [] : entry));
    return [...revoked(tokens, replacedIds, at), ...issued];
  });
  return result;
}

function nameOf(kind: SandboxTokenKind): string {
  return `sandbox: ${kind}`;
}

function isOfSandbox({ tenantId, name }: RegisteredToken, sandbox: TenantId): boolean {
  return tenantId === sandbox && sandboxTokenKinds.some((kind) => name === nameOf(kind));
}

/** Whether a request with the token still gets the answer of this kind. */
function isOfKind(token: RegisteredToken, tenantId: TenantId, kind: SandboxTokenKind, now: Date): boolean {
  if (token.tenantId !== tenantId || token.name !== nameOf(kind)) return false;
  const status = tokenStatus(token, now);
  return status === (kind === "expired" || kind === "revoked" ? kind : "active");
}

function newToken(
  tenantId: TenantId,
  kind: SandboxTokenKind,
  now: Date,
  last: Date | undefined,
  randomBytes: Shell["randomBytes"],
): IssuedToken {
  const terms = {
    tenantId,
    name: nameOf(kind),
    scopes: [kind === "without-scope" ? "sandbox.none" : readScope],
    expiresAt: earlierEnd(null, kind === "expired" ? new Date(now.getTime() - expiredForMs) : last),
    rateLimit: kind === "small-quota" ? smallQuota : null,
  };
  const { plaintext, entry } = issueToken(terms, null, now, randomBytes);
  return {
    plaintext,
    entry: kind === "revoked" ? { ...entry, revokedAt: now.toISOString() } : entry,
  };
}
