import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import { parseTokenId, type TenantId, type TokenId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { RegisteredToken } from "../../core/token-registry.ts";
import type { Audit } from "../operate/audit/audit.ts";
import { recordedChange } from "../operate/audit/with-audit.ts";
import { assertPublished } from "../operate/tokens/assert-published.ts";
import { editRegistry, readRegistry } from "../operate/tokens/edit-registry.ts";
import { activeToken, latestEnd, revoked, unrevoked, withEnd } from "../operate/tokens/issue-token.ts";
import { listedToken, tokenListText, tokenMetadata } from "../operate/tokens/token-text.ts";
import { layoutOf } from "../output/layout.ts";
import { exactTime, relativeAndExact } from "../output/times.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import {
  asTenantId,
  asTokenId,
  type ChangeFlags,
  instantAfter,
  instantForms,
  reasonOption,
} from "./option-values.ts";

/** `token expire`: gives a token an end, so that it overlaps with its successor while a partner changes over (P84). */
export function tokenExpire(shell: Shell): Command {
  return new Command()
    .argument("<token-id>", "the token to end", asTokenId)
    .requiredOption("--at <when>", `when it ends: ${instantForms}`, instantAfter(shell.now))
    .addOption(reasonOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, expire));
}

async function expire(
  shell: Shell,
  tokenId: TokenId,
  flags: ChangeFlags & { at: Date },
): Promise<ExitStatus> {
  const { at, json, reason } = flags;
  const now = shell.now();
  if (at <= now) throw new Failure("usage", "--at lies in the past. To end a token now, use `token revoke`.");
  latestEnd(settingsOf(shell), now, ["--at", at]);
  const expiresAt = at.toISOString();
  let before: RegisteredToken | undefined;
  return await recordedChange(
    shell,
    { command: "token expire", tenants: [], reason },
    (store, audit) =>
      editRegistry(store, audit, (tokens) => {
        before = activeToken(tokens, tokenId, now);
        return withEnd(tokens, tokenId, expiresAt, now);
      }),
    () => {
      if (before === undefined) throw new Failure("internal", "No token was looked at.");
      const { tenantId, expiresAt: previousExpiresAt } = before;
      if (json) return printJson(shell, { ...tokenMetadata({ ...before, expiresAt }), previousExpiresAt });
      const was = previousExpiresAt === null ? "never" : exactTime(previousExpiresAt);
      const ends = relativeAndExact(expiresAt, layoutOf(shell));
      shell.stderr.write(`Token ${tokenId} of tenant ${tenantId} ends ${ends}; before: ${was}.\n`);
    },
  );
}

/** `token revoke`: ends tokens in one write, so that either all or none of them end. */
export function tokenRevoke(shell: Shell): Command {
  return new Command()
    .argument("[token-id...]", "the tokens to end; required without --tenant")
    .option("--tenant <id>", "all tokens of this tenant instead", asTenantId)
    .addOption(reasonOption())
    .option("--json", "print an object for programs", false)
    .action(action(shell, revoke));
}

async function revoke(
  shell: Shell,
  tokenIds: readonly string[],
  flags: ChangeFlags & { tenant?: TenantId },
): Promise<ExitStatus> {
  const { tenant, json, reason } = flags;
  const named = tokenIds.map(parseTokenId);
  if ((tenant === undefined) === (named.length === 0)) {
    throw new Failure("usage", "Name the tokens to end, or a tenant with --tenant; not both.");
  }
  const now = shell.now();
  const request = { command: "token revoke", tenants: tenant === undefined ? [] : [tenant], reason };
  const end = async (store: ObjectStore, audit: Audit): Promise<readonly TokenId[]> => {
    let ended: readonly TokenId[] = named;
    let isKnown = true;
    await editRegistry(store, audit, (tokens) => {
      // Each attempt reads the tenant's tokens again, so that a token that was just issued is not missed (P84).
      if (tenant !== undefined) {
        isKnown = tokens.some(({ tenantId }) => tenantId === tenant);
        ended = unrevoked(tokens, tenant);
      }
      return ended.length === 0 ? tokens : revoked(tokens, ended, now);
    });
    if (tenant !== undefined && !isKnown) await assertPublished(store, tenant, shell.signal);
    return ended;
  };
  const print = (ended: readonly TokenId[]): void => {
    if (json) printJson(shell, { revoked: ended });
    else if (ended.length > 0) shell.stderr.write(`Revoked: ${ended.join(", ")}\n`);
    else shell.stderr.write(`Tenant ${tenant} has no token that is not revoked; nothing was done.\n`);
  };
  // Unlike other commands, this one accepts a store that does not honour conditional writes, since such a store must not keep a
  // token alive. The conditions are proved only when this command is the first to write to the store.
  return await recordedChange(shell, request, end, print, false);
}

/** `token list`: every token ever issued, with its status. Plaintexts are stored nowhere, so it cannot show them. */
export function tokenList(shell: Shell): Command {
  return new Command()
    .option("--tenant <id>", "only this tenant's", asTenantId)
    .option("--json", "print an array of objects", false)
    .action(action(shell, list));
}

async function list(
  shell: Shell,
  { tenant, json }: { tenant?: TenantId; json: boolean },
): Promise<ExitStatus> {
  const now = shell.now();
  const tokens = await withStore(settingsOf(shell), async (store) => {
    const { registry } = await readRegistry(store);
    if (tenant === undefined) return registry.tokens;
    const own = registry.tokens.filter(({ tenantId }) => tenantId === tenant);
    // No token names the tenant, so only a snapshot can show that its id is right.
    if (own.length === 0) await assertPublished(store, tenant, shell.signal);
    return own;
  });
  if (json)
    printJson(
      shell,
      tokens.map((token) => listedToken(token, now)),
    );
  else if (tokens.length === 0) shell.stderr.write("No tokens. Issue one with `token create --tenant ID`.\n");
  else shell.stdout.write(tokenListText(tokens, layoutOf(shell)));
  return 0;
}
