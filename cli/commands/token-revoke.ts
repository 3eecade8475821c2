import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import { parseTokenId, type TenantId, type TokenId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { auditedStatus, withAudit } from "../operate/audit/with-audit.ts";
import { assertPublished } from "../operate/tokens/assert-published.ts";
import { editRecorded } from "../operate/tokens/edit-registry.ts";
import { revoked, unrevoked } from "../operate/tokens/issue-token.ts";
import { identifiedStore } from "../publish/store/identified-store.ts";
import { requireHonouredConditions } from "../publish/store/with-checked-store.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, type CliSettings, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { asTenantId } from "./option-values.ts";
import { type ReasonFlag, reasonOption } from "./reason-option.ts";

interface RevokeFlags extends ReasonFlag {
  readonly tenant?: TenantId;
  readonly json: boolean;
}

/** `token revoke`: ends tokens in one write, so that either all or none of them end. */
export function tokenRevoke(shell: Shell): Command {
  return new Command()
    .argument("[token-id...]", "the tokens to end; required without --tenant")
    .option("--tenant <id>", "all tokens of this tenant instead", asTenantId)
    .addOption(reasonOption())
    .option("--json", "print an object for programs", false)
    .action(action(shell, run));
}

// Unlike other commands, this one accepts a store that does not honour conditional writes, since such a store must not keep a
// token alive.
async function run(
  shell: Shell,
  tokenIds: readonly string[],
  { tenant, json, reason }: RevokeFlags,
): Promise<ExitStatus> {
  const named = tokenIds.map(parseTokenId);
  if ((tenant === undefined) === (named.length === 0)) {
    throw new Failure("usage", "Name the tokens to end, or a tenant with --tenant; not both.");
  }
  const now = shell.now();
  const request = { command: "token revoke", tenants: tenant === undefined ? [] : [tenant], reason };
  const settings = settingsOf(shell);
  const { result: revokedIds, unrecorded } = await withStore(settings, (opened) =>
    withAudit(shell, identified(opened, settings, shell), request, async (store, audit) => {
      let ended: readonly TokenId[] = named;
      let isKnown = true;
      await editRecorded(store, audit, (tokens) => {
        // Each attempt reads the tenant's tokens again, so that a token that was just issued is not missed (P84).
        if (tenant !== undefined) {
          isKnown = tokens.some(({ tenantId }) => tenantId === tenant);
          ended = unrevoked(tokens, tenant);
        }
        return ended.length === 0 ? tokens : revoked(tokens, ended, now);
      });
      if (tenant !== undefined && !isKnown) await assertPublished(store, tenant, shell.signal);
      return ended;
    }),
  );
  if (json) printJson(shell, { revoked: revokedIds });
  else if (revokedIds.length > 0) shell.stderr.write(`Revoked: ${revokedIds.join(", ")}\n`);
  else shell.stderr.write(`Tenant ${tenant} has no token that is not revoked; nothing was done.\n`);
  return auditedStatus(shell, unrecorded);
}

/**
 * The conditions are proved only when this command is the first to write to the store. A store with tokens needs no proof.
 */
function identified(store: ObjectStore, settings: CliSettings, shell: Shell): ObjectStore {
  const requireConditions = (): Promise<void> => requireHonouredConditions(settings, store, shell);
  return identifiedStore(store, settings, shell, { requireConditions });
}
