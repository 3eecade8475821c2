import { type RegisteredToken, readScope } from "../../core/documents/token-registry.ts";
import { parseTenantId, parseTokenId } from "../../core/ground/ids.ts";
import { printable } from "../../core/ground/printable.ts";
import {
  createToken,
  type IssuedToken,
  latestEnd,
  rotateToken,
  tokenMetadata,
  tokenTerms,
} from "../change/access/issue-token.ts";
import { recordedChange } from "../change/audit/recorded-change.ts";
import { layoutOf } from "../output/layout.ts";
import { relativeAndExact } from "../output/words.ts";
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
    const { tenant, reason, json } = flags;
    const terms = tokenTerms(flags, settingsOf(shell), shell.now());
    const request = { command: "token create", tenants: [tenant], reason };
    return await recordedChange(shell, request, async (store, audit) => {
      const issued = await createToken(terms, flags.allowUnpublished, { ...shell, store, audit });
      return { say: () => printIssuedToken(shell, issued, json) };
    });
  },
);

/**
 * Prints a new token for the only time (T4). The plaintext stands alone on standard output, so that it can be
 * piped into a secret store; everything else goes to standard error. With `json`, one object on standard
 * output has all of it.
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

/** `token rotate`: a new token on the same terms; the old one ends in the same write, or later (T6). */
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
    const past = "; without it the old token ends at once.";
    const last = latestEnd(settingsOf(shell), shell.now(), { option: "--old-ends", at: oldEnds, past });
    const request = { command: "token rotate", tenants: [], reason };
    return await recordedChange(shell, request, async (store, audit) => {
      const { issued, oldEndsAt } = await rotateToken(tokenId, { oldEnds, last }, { ...shell, store, audit });
      const say = () => {
        printIssuedToken(shell, issued, json);
        if (oldEndsAt === null || json) return;
        shell.stderr.write(`Token ${tokenId} ends ${relativeAndExact(oldEndsAt, layoutOf(shell))}.\n`);
      };
      return { say };
    });
  },
);
