import { type RegisteredToken, tokenStatus } from "../../core/documents/token-registry.ts";
import { Failure } from "../../core/ground/failure.ts";
import { parseTenantId, parseTokenId, type TokenId } from "../../core/ground/ids.ts";
import { printable } from "../../core/ground/printable.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import { editRegistry } from "../change/access/edit-registry.ts";
import {
  activeToken,
  latestEnd,
  revoked,
  tokenMetadata,
  unrevoked,
  withEnd,
} from "../change/access/issue-token.ts";
import type { Audit } from "../change/audit/audit.ts";
import { type Done, recordedChange } from "../change/audit/recorded-change.ts";
import { type Layout, layoutOf, numbers, table } from "../output/layout.ts";
import { exactTime, relativeAndExact } from "../output/words.ts";
import { assertPublished } from "../read/administration/known-tenant.ts";
import { readRegistry } from "../read/administration/read-registry.ts";
import { readUsage, usageByToken, usageRowsText, usageText } from "../read/gateway-log/token-usage.ts";
import { printJson, settingsOf, withStore } from "../shell/shell.ts";
import { argument, command, flag, json, repeatedArgument, required, storeCommand, value } from "./command.ts";
import { instantAfter, instantForms, logFlag, logSources, reason } from "./option-values.ts";

/** `token expire`: gives a token an end, so that it overlaps its successor while a partner changes (P84). */
export const tokenExpire = command(
  {
    tokenId: argument("the token to end", parseTokenId),
    at: required("<when>", `when it ends: ${instantForms}`, instantAfter),
    reason,
    json,
  },
  async (shell, { tokenId, at, reason, json }) => {
    const now = shell.now();
    latestEnd(settingsOf(shell), now, {
      option: "--at",
      at,
      past: ". To end a token now, use `token revoke`.",
    });
    const expiresAt = at.toISOString();
    let before: RegisteredToken | undefined;
    const request = { command: "token expire", tenants: [], reason };
    return await recordedChange(shell, request, async (store, audit) => {
      await editRegistry(store, audit, (tokens) => {
        before = activeToken(tokens, tokenId, now);
        return withEnd(tokens, before, expiresAt);
      });
      const say = () => {
        if (before === undefined) throw new Failure("internal", "No token was looked at.");
        const { tenantId, expiresAt: previousExpiresAt } = before;
        if (json) return printJson(shell, { ...tokenMetadata({ ...before, expiresAt }), previousExpiresAt });
        const was = previousExpiresAt === null ? "never" : exactTime(previousExpiresAt);
        const ends = relativeAndExact(expiresAt, layoutOf(shell));
        shell.stderr.write(`Token ${tokenId} of tenant ${tenantId} ends ${ends}; before: ${was}.\n`);
      };
      return { say };
    });
  },
);

/** `token revoke`: ends tokens in one write, so that either all or none of them end. */
export const tokenRevoke = command(
  {
    tokenId: repeatedArgument("the tokens to end; required without --tenant", parseTokenId),
    tenant: value("<id>", "all tokens of this tenant instead", parseTenantId),
    reason,
    json,
  },
  async (shell, { tokenId: named, tenant, reason, json }) => {
    if ((tenant === undefined) === (named.length === 0)) {
      throw new Failure("usage", "Name the tokens to end, or a tenant with --tenant; not both.");
    }
    const now = shell.now();
    const request = { command: "token revoke", tenants: tenant === undefined ? [] : [tenant], reason };
    const end = async (store: ObjectStore, audit: Audit): Promise<Done> => {
      let ended: readonly TokenId[] = named;
      let isKnown = true;
      await editRegistry(store, audit, (tokens) => {
        // Each attempt reads the tenant's tokens again, so that none that was just issued is missed (P84).
        if (tenant !== undefined) {
          isKnown = tokens.some(({ tenantId }) => tenantId === tenant);
          ended = unrevoked(tokens, tenant);
        }
        return ended.length === 0 ? tokens : revoked(tokens, ended, now);
      });
      if (tenant !== undefined && !isKnown) await assertPublished(store, tenant, shell.signal);
      const say = () => {
        if (json) printJson(shell, { revoked: ended });
        else if (ended.length > 0) shell.stderr.write(`Revoked: ${ended.join(", ")}\n`);
        else shell.stderr.write(`Tenant ${tenant} has no token that is not revoked; nothing was done.\n`);
      };
      return { say };
    };
    // Unlike other commands, this one accepts a store that does not honour conditional writes, since such a
    // store must not keep a token alive. The conditions are proved only when this command is the first to
    // write to the store.
    return await recordedChange(shell, request, end, false);
  },
);

/** `token list`: every token ever issued, with its status. No plaintext is stored, so none is shown. */
export const tokenList = storeCommand(
  { tenant: value("<id>", "only this tenant's", parseTenantId), json },
  async (shell, { tenant, json }, store) => {
    const now = shell.now();
    const { registry } = await readRegistry(store);
    const tokens = registry.tokens.filter(({ tenantId }) => tenant === undefined || tenantId === tenant);
    // No token names the tenant, so only a snapshot can show that its id is right.
    if (tenant !== undefined && tokens.length === 0) await assertPublished(store, tenant, shell.signal);
    const listed = tokens.map((token) => listedToken(token, now));
    if (json) printJson(shell, listed);
    else if (tokens.length > 0) shell.stdout.write(tokenListText(tokens, layoutOf(shell)));
    else shell.stderr.write("No tokens. Issue one with `token create --tenant ID`.\n");
  },
);

/** An element of `token list --json`. */
function listedToken(token: RegisteredToken, now: Date) {
  return { ...tokenMetadata(token), status: tokenStatus(token, now), revokedAt: token.revokedAt };
}

function tokenListText(tokens: readonly RegisteredToken[], { now, zone }: Layout): string {
  return table(
    ["TOKEN", "TENANT", "STATUS", "NAME", "SCOPES", numbers("LIMIT"), "CREATED", "EXPIRES"],
    tokens.map((token) => [
      token.tokenId,
      token.tenantId,
      tokenStatus(token, now),
      printable(token.name ?? "-"),
      token.scopes.join(" "),
      token.rateLimit === null ? "-" : String(token.rateLimit),
      exactTime(token.createdAt, zone),
      token.expiresAt === null ? "never" : exactTime(token.expiresAt, zone),
    ]),
  );
}

/** `token usage`: who requests what, according to the gateway's log. */
export const tokenUsage = command(
  { log: logFlag(), all: flag("one line per token, resource, status and day"), json },
  async (shell, { log, all, json }) => {
    const { rows, covers, faults } = await readUsage(logSources(shell, log), shell.signal);
    for (const fault of faults) shell.stderr.write(`partner-programs: ${printable(fault)}\n`);
    if (covers === null) {
      const what = "The log has no request as the gateway logs them.";
      throw new Failure("not_found", `${what} Is it the gateway's log, with LOG_LEVEL=info?`);
    }
    const { registry } = await withStore(settingsOf(shell), readRegistry);
    const usage = usageByToken(rows, registry.tokens, covers.to, shell.now());
    if (json) {
      const idle = usage.idle.map(({ tokenId, tenantId, name }) => ({ tokenId, tenantId, name }));
      const { tokens, legacyCallers } = usage;
      printJson(shell, { ...covers, tokens, idle, legacyCallers, rows, faults });
    } else if (all) shell.stdout.write(usageRowsText(rows));
    else shell.stdout.write(usageText(usage, covers, layoutOf(shell)));
  },
);
