import { readScope } from "../../../core/documents/token-registry.ts";
import { Failure } from "../../../core/ground/failure.ts";
import type { TenantId, TokenId } from "../../../core/ground/ids.ts";
import type { ObjectStore } from "../../../core/store/object-store.ts";
import { assertNotRemoved, assertPublished } from "../../read/administration/known-tenant.ts";
import type { CliSettings, Shell } from "../../shell/shell.ts";
import type { Audit } from "../audit/audit.ts";
import { editRegistry } from "./edit-registry.ts";
import {
  activeToken,
  earlierEnd,
  type IssuedToken,
  issueToken,
  latestEnd,
  revoked,
  type TokenTerms,
  withEnd,
} from "./issue-token.ts";

interface TokenChange extends Pick<Shell, "now" | "randomBytes" | "signal"> {
  readonly store: ObjectStore;
  readonly audit: Audit;
}

/** What an operator asks for. */
interface AskedToken {
  readonly tenant: TenantId;
  readonly name: string | undefined;
  readonly scope: readonly string[] | undefined;
  readonly allowUnknownScope: boolean;
  readonly expires: Date | undefined;
  readonly rateLimit: number | undefined;
}

/** Throws `usage` for an end or a scope that makes no sense. */
export function tokenTerms(asked: AskedToken, settings: CliSettings, now: Date): TokenTerms {
  const { tenant: tenantId, expires, name = null, rateLimit = null } = asked;
  const past = "; the token would never work.";
  const last = latestEnd(settings, now, { option: "--expires", at: expires, past });
  const scopes = [...new Set(asked.scope ?? [readScope])];
  if (!asked.allowUnknownScope) assertKnown(scopes);
  return { tenantId, name, scopes, expiresAt: earlierEnd(expires?.toISOString() ?? null, last), rateLimit };
}

/** Refuses unknown scopes, because a mistyped scope would turn every request into a 403 (T12). */
function assertKnown(scopes: readonly string[]): void {
  const unknown = scopes.filter((scope) => scope !== readScope);
  if (unknown.length === 0) return;
  throw new Failure(
    "usage",
    `No resource asks for the scope ${unknown.join(", ")}; the known one is ${readScope}. ` +
      "If it is meant, pass --allow-unknown-scope.",
  );
}

export async function createToken(
  terms: TokenTerms,
  allowUnpublished: boolean,
  { store, audit, now, randomBytes, signal }: TokenChange,
): Promise<IssuedToken> {
  const { tenantId } = terms;
  const useless =
    `Tenant ${tenantId} has no published snapshot, so a token would only get errors. ` +
    "Check the id, build first, or pass --allow-unpublished.";
  // Most often, the id of a tenant without a snapshot was mistyped (T13).
  if (!allowUnpublished) await assertPublished(store, tenantId, signal, useless);
  const issued = issueToken(terms, null, now(), randomBytes);
  await editRegistry(store, audit, async (tokens) => {
    await assertNotRemoved(store, tenantId, signal);
    return [...tokens, issued.entry];
  });
  return issued;
}

/** T6: a token on the terms of the old one, which ends in the same write or at `oldEnds`. */
export async function rotateToken(
  tokenId: TokenId,
  ends: { readonly oldEnds: Date | undefined; readonly last: Date | undefined },
  change: TokenChange,
): Promise<{ readonly issued: IssuedToken; readonly oldEndsAt: string | null }> {
  const now = change.now();
  let rotated: { readonly issued: IssuedToken; readonly oldEndsAt: string | null } | undefined;
  await editRegistry(change.store, change.audit, (tokens) => {
    const old = activeToken(tokens, tokenId, now);
    const oldEndsAt = ends.oldEnds === undefined ? null : earlierEnd(old.expiresAt, ends.oldEnds);
    const terms = { ...old, expiresAt: earlierEnd(old.expiresAt, ends.last) };
    // All attempts store the same token, because an attempt whose answer was lost may have stored it.
    const issued = rotated?.issued ?? issueToken(terms, tokenId, now, change.randomBytes);
    rotated = { issued, oldEndsAt };
    const ended = oldEndsAt === null ? revoked(tokens, [tokenId], now) : withEnd(tokens, old, oldEndsAt);
    return [...ended, issued.entry];
  });
  if (rotated === undefined) throw new Error("the registry was edited without a token");
  return rotated;
}
