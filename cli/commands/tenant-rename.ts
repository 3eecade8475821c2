import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import { auditedStatus, withAudit } from "../operate/audit/with-audit.ts";
import { assertKnownTenant } from "../operate/tenants/known-tenant.ts";
import { renameTenant, type TenantRename } from "../operate/tenants/rename-tenant.ts";
import { counted } from "../output/counted.ts";
import { withCheckedStore } from "../publish/store/with-checked-store.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell } from "../shell/shell.ts";
import { asTenantId } from "./option-values.ts";
import { type ReasonFlag, reasonOption } from "./reason-option.ts";

interface RenameFlags extends ReasonFlag {
  readonly allowShrink: boolean;
  readonly json: boolean;
}

/** `tenant rename`: moves all tokens of one tenant to another, in one write. */
export function tenantRename(shell: Shell): Command {
  return new Command()
    .argument("<old-id>", "the tenant whose tokens move", asTenantId)
    .argument("<new-id>", "the tenant that they read from now on; it must be published", asTenantId)
    .option("--allow-shrink", "also to a tenant with much fewer of the programs, or none", false)
    .addOption(reasonOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(
  shell: Shell,
  from: TenantId,
  to: TenantId,
  { allowShrink, reason, json }: RenameFlags,
): Promise<ExitStatus> {
  if (from === to) throw new Failure("usage", "Both ids are the same; nothing was done.");
  const request = { command: "tenant rename", tenants: [from, to], reason };
  const { result, unrecorded } = await withCheckedStore(shell, async (checked) => {
    await assertKnownTenant(checked, from, shell.signal);
    return await withAudit(shell, checked, request, (store, audit) =>
      renameTenant(from, to, allowShrink, { store, audit, now: shell.now(), signal: shell.signal }),
    );
  });
  if (json) printJson(shell, { from, to, ...result });
  else shell.stdout.write(renameText(from, to, result));
  return auditedStatus(shell, unrecorded);
}

function renameText(from: TenantId, to: TenantId, { movedTokens, activeTokens }: TenantRename): string {
  if (movedTokens.length === 0) return `Tenant ${from} has no token; nothing was done.\n`;
  const ended = movedTokens.length - activeTokens;
  if (activeTokens === 0) {
    return (
      `${counted(ended, "token")} of ${from} moved to ${to}, all of them revoked or expired: no partner reads ${to} by this. ` +
      `Issue new ones: \`token create --tenant ${to}\`.\n`
    );
  }
  const rest = ended === 0 ? "" : ` (and ${ended} that are revoked or expired, and stay so)`;
  return (
    `${counted(activeTokens, "token")} of ${from} read ${to} now${rest}; no partner has to change anything. ` +
    `When ${from} is out of the source, end it: \`tenant remove ${from}\`.\n`
  );
}
