import { Failure } from "../../core/failure.ts";
import { parseTenantId, parseTokenId } from "../../core/ids.ts";
import { printable } from "../../core/printable.ts";
import { type RegisteredToken, readScope } from "../../core/token-registry.ts";
import { editRegistry } from "../change/access/edit-registry.ts";
import {
  activeToken,
  earlierEnd,
  type IssuedToken,
  issueToken,
  latestEnd,
  revoked,
  tokenMetadata,
  withEnd,
} from "../change/access/issue-token.ts";
import { recordedChange } from "../change/audit/recorded-change.ts";
import { layoutOf } from "../output/layout.ts";
import { relativeAndExact } from "../output/words.ts";
import { assertNotRemoved, assertPublished } from "../read/administration/known-tenant.ts";
import { printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { argument, command, expecting, flag, json, repeated, required, value } from "./command.ts";
import { instantAfter, instantForms, reason, storedLine, wholeNumber } from "./option-values.ts";

/** T12. */
const asScope = expecting("a lower-case letter, then up to 63 of a-z 0-9 . _ : -", (text) =>
  /^[a-z][a-z0-9._:-]{0,63}$/.test(text) ? text : undefined,
);

/** `token create`: issues a token for a tenant and prints its plaintext once. */
export const tokenCreate = command(
  {
    tenant: required("<id>", "the tenant whose programs it reads", parseTenantId),
    name: value("<text>", "what it is for, shown in lists", storedLine(200)),
    scope: repeated("<scope...>", `what it may do (default: ${readScope})`, asScope),
    allowUnknownScope: flag("take scopes that no resource asks for"),
    expires: value("<when>", `when it ends by itself: ${instantForms}`, instantAfter),
    rateLimit: value(
      "<n>",
      "requests per window, instead of the gateway's own limit",
      wholeNumber(1, 999_999_999),
    ),
    allowUnpublished: flag("also for a tenant without a published snapshot"),
    reason,
    json,
  },
  async (shell, flags) => {
    const { tenant: tenantId, expires, reason, json, name = null, rateLimit = null } = flags;
    const { signal, randomBytes } = shell;
    const now = shell.now();
    const past = "; the token would never work.";
    const last = latestEnd(settingsOf(shell), now, { option: "--expires", at: expires, past });
    const scopes = [...new Set(flags.scope ?? [readScope])];
    if (!flags.allowUnknownScope) assertKnown(scopes);
    const expiresAt = earlierEnd(expires?.toISOString() ?? null, last);
    const terms = { tenantId, name, scopes, expiresAt, rateLimit };
    const useless =
      `Tenant ${tenantId} has no published snapshot, so a token would only get errors. ` +
      "Check the id, build first, or pass --allow-unpublished.";
    const request = { command: "token create", tenants: [tenantId], reason };
    return await recordedChange(shell, request, async (store, audit) => {
      // Most often, the id of a tenant without a snapshot was mistyped (T13).
      if (!flags.allowUnpublished) await assertPublished(store, tenantId, signal, useless);
      const issued = issueToken(terms, null, now, randomBytes);
      await editRegistry(store, audit, async (tokens) => {
        await assertNotRemoved(store, tenantId, signal);
        return [...tokens, issued.entry];
      });
      return { say: () => printIssuedToken(shell, issued, json) };
    });
  },
);

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

/**
 * Prints a new token for the only time (T4). The plaintext stands alone on standard output, so that it can be piped into a
 * secret store; everything else goes to standard error. With `json`, one object on standard output has all of it.
 */
function printIssuedToken(shell: Shell, { plaintext, entry }: IssuedToken, json: boolean): void {
  if (!entry.scopes.includes(readScope)) {
    shell.stderr.write(
      `WARNING: this token lacks the scope ${readScope}; every request with it is answered 403 forbidden.\n`,
    );
  }
  if (json) printJson(shell, { token: plaintext, ...tokenMetadata(entry) }, [plaintext]);
  else {
    shell.stderr.write(tokenLines(entry));
    shell.stdout.write(`${plaintext}\n`, [plaintext]);
  }
}

/** The metadata for people, one line each. */
function tokenLines(token: RegisteredToken): string {
  const { tokenId, tenantId, name, scopes, expiresAt, rateLimit } = token;
  return [
    `token id    ${tokenId}`,
    `tenant      ${tenantId}`,
    `name        ${printable(name ?? "-")}`,
    `scopes      ${scopes.join(" ")}`,
    `expires     ${expiresAt ?? "never"}`,
    `rate limit  ${rateLimit === null ? "the gateway's" : `${rateLimit} per window`}`,
    "",
  ].join("\n");
}

/** `token rotate`: a new token on the same terms; the old one ends in the same write, at once or later (T6). */
export const tokenRotate = command(
  {
    tokenId: argument("the token to replace", parseTokenId),
    oldEnds: value(
      "<when>",
      `when the old one ends (default: at once): ${instantForms}; never later than its own end`,
      instantAfter,
    ),
    reason,
    json,
  },
  async (shell, { tokenId, oldEnds, reason, json }) => {
    const now = shell.now();
    const past = "; without it the old token ends at once.";
    const last = latestEnd(settingsOf(shell), now, { option: "--old-ends", at: oldEnds, past });
    let issued: IssuedToken | undefined;
    let oldEndsAt: string | null = null;
    const request = { command: "token rotate", tenants: [], reason };
    return await recordedChange(shell, request, async (store, audit) => {
      await editRegistry(store, audit, (tokens) => {
        const old = activeToken(tokens, tokenId, now);
        oldEndsAt = oldEnds === undefined ? null : earlierEnd(old.expiresAt, oldEnds);
        const terms = { ...old, expiresAt: earlierEnd(old.expiresAt, last) };
        // All attempts store the same token, because an attempt whose answer was lost may have stored it.
        issued ??= issueToken(terms, tokenId, now, shell.randomBytes);
        const ended = oldEndsAt === null ? revoked(tokens, [tokenId], now) : withEnd(tokens, old, oldEndsAt);
        return [...ended, issued.entry];
      });
      const say = () => {
        if (issued !== undefined) printIssuedToken(shell, issued, json);
        if (oldEndsAt === null || json) return;
        shell.stderr.write(`Token ${tokenId} ends ${relativeAndExact(oldEndsAt, layoutOf(shell))}.\n`);
      };
      return { say };
    });
  },
);
