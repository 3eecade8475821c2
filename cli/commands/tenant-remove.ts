import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import { auditedStatus, withAudit } from "../operate/audit/with-audit.ts";
import { assertKnownTenant, isInSource } from "../operate/tenants/known-tenant.ts";
import { removeTenant, type TenantRemoval } from "../operate/tenants/remove-tenant.ts";
import { counted } from "../output/counted.ts";
import { knownSandbox } from "../publish/sandbox/sandbox-document.ts";
import { withCheckedStore } from "../publish/store/with-checked-store.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { asTenantId } from "./option-values.ts";
import { type ReasonFlag, reasonOption } from "./reason-option.ts";

interface RemoveFlags extends ReasonFlag {
  readonly purge: boolean;
  readonly withoutSource: boolean;
  readonly json: boolean;
}

/** `tenant remove`: ends a tenant that the source no longer lists. */
export function tenantRemove(shell: Shell): Command {
  return new Command()
    .argument("<tenant-id>", "the tenant", asTenantId)
    .option("--purge", "delete all that is stored of it, too, for good", false)
    .option("--without-source", "do not ask the booking database whether it still lists the tenant", false)
    .addOption(reasonOption())
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, tenantId: TenantId, flags: RemoveFlags): Promise<ExitStatus> {
  const { purge, withoutSource, reason, json } = flags;
  const { now, signal } = shell;
  const settings = settingsOf(shell);
  const request = { command: purge ? "tenant remove --purge" : "tenant remove", tenants: [tenantId], reason };
  const { result, unrecorded } = await withCheckedStore(shell, async (checked) => {
    await assertKnownTenant(checked, tenantId, signal);
    // The database is not asked for the sandbox, whose programs come with the generator.
    const isAsked = !withoutSource && (await knownSandbox(checked, signal)) !== tenantId;
    if (isAsked && (await isInSource(tenantId, settings, signal))) throw stillInSource(tenantId);
    return await withAudit(shell, checked, request, (store, audit) =>
      removeTenant(tenantId, purge, { store, audit, now, signal }),
    );
  });
  if (json) printJson(shell, result);
  else shell.stdout.write(removalText(result));
  return auditedStatus(shell, unrecorded);
}

/** The refusal for a tenant that the source still lists (P91). */
function stillInSource(tenantId: TenantId): Failure {
  return new Failure(
    "in_source",
    `The booking database still lists tenant ${tenantId}, so the next build would publish it again; nothing was done. ` +
      "Take it out of the view partner_source.tenants first, then run this again. " +
      `To end its partners' access only, use \`token revoke --tenant ${tenantId}\`.`,
  );
}

function removalText({
  tenantId,
  isPurged,
  wasSandbox,
  revokedTokens,
  deletedObjects,
}: TenantRemoval): string {
  const what = wasSandbox ? "The sandbox" : "Tenant";
  const tokens = `${counted(revokedTokens, "token")} revoked`;
  const kept = isPurged
    ? `${counted(deletedObjects, "object")} deleted. Backups and old versions in the store keep what they have: see docs/tenants.md.`
    : `its snapshots stay stored. \`tenant remove ${tenantId} --purge\` deletes them.`;
  return `${what} ${tenantId} is removed: ${tokens}, ${kept}\n`;
}
