import { Failure } from "../../core/failure.ts";
import type { TenantId } from "../../core/ids.ts";
import { printable } from "../../core/printable.ts";
import { withSourceReading } from "../database/with-database-url.ts";
import { recordedChange } from "../operate/audit/audit.ts";
import { assertKnownTenant, isInSource } from "../operate/tenants/known-tenant.ts";
import { removeTenant, type TenantRemoval } from "../operate/tenants/remove-tenant.ts";
import { renameTenant, type TenantRename } from "../operate/tenants/rename-tenant.ts";
import { counted } from "../output/counted.ts";
import { layoutOf, readerOf } from "../output/layout.ts";
import { knownSandbox } from "../publish/snapshot/sandbox-tenant.ts";
import { readTenants } from "../publish/source/read-tenants.ts";
import { printJson, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { listTenants } from "../support/tenant-list.ts";
import { statusTable, tenantListJson } from "../support/texts/status.ts";
import { argument, command, flag, json } from "./command.ts";
import { asTenantId, buildWithin, reason } from "./option-values.ts";

/** `tenant remove`: ends a tenant that the source no longer lists. */
export const tenantRemove = command(
  {
    purge: flag("delete all that is stored of it, too, for good"),
    withoutSource: flag("do not ask the booking database whether it still lists the tenant"),
    reason,
    json,
  },
  async (shell, { purge, withoutSource, reason, json }, tenantId) => {
    const { now, signal } = shell;
    return await recordedChange(
      shell,
      { command: purge ? "tenant remove --purge" : "tenant remove", tenants: [tenantId], reason },
      async (store, audit) => {
        await assertKnownTenant(store, tenantId, signal);
        // The database is not asked for the sandbox, whose programs come with the generator.
        const isAsked = !withoutSource && (await knownSandbox(store, signal)) !== tenantId;
        if (isAsked && (await isInSource(tenantId, settingsOf(shell), signal))) throw stillInSource(tenantId);
        return await removeTenant(tenantId, purge, { store, audit, now, signal });
      },
      (removal) => {
        if (json) printJson(shell, removal);
        else shell.stdout.write(removalText(removal));
      },
    );
  },
  argument("tenant-id", "the tenant", asTenantId),
);

/** The refusal for a tenant that the source still lists (P91). */
function stillInSource(tenantId: TenantId): Failure {
  return new Failure(
    "in_source",
    `The booking database still lists tenant ${tenantId}, so the next build would publish it again; nothing was done. ` +
      "Take it out of the view partner_source.tenants first, then run this again. " +
      `To end its partners' access only, use \`token revoke --tenant ${tenantId}\`.`,
  );
}

function removalText(removal: TenantRemoval): string {
  const { tenantId, isPurged, wasSandbox, revokedTokens, deletedObjects } = removal;
  const what = wasSandbox ? "The sandbox" : "Tenant";
  const tokens = `${counted(revokedTokens, "token")} revoked`;
  const kept = isPurged
    ? `${counted(deletedObjects, "object")} deleted. Backups and old versions in the store keep what they have: see docs/tenants.md.`
    : `its snapshots stay stored. \`tenant remove ${tenantId} --purge\` deletes them.`;
  return `${what} ${tenantId} is removed: ${tokens}, ${kept}\n`;
}

/** `tenant rename`: moves all tokens of one tenant to another, in one write. */
export const tenantRename = command(
  { allowShrink: flag("also to a tenant with much fewer of the programs, or none"), reason, json },
  async (shell, { allowShrink, reason, json }, from, to) => {
    if (from === to) throw new Failure("usage", "Both ids are the same; nothing was done.");
    const { signal } = shell;
    return await recordedChange(
      shell,
      { command: "tenant rename", tenants: [from, to], reason },
      async (store, audit) => {
        await assertKnownTenant(store, from, signal);
        return await renameTenant(from, to, allowShrink, { store, audit, now: shell.now(), signal });
      },
      (renamed) => {
        if (json) printJson(shell, { from, to, ...renamed });
        else shell.stdout.write(renameText(from, to, renamed));
      },
    );
  },
  argument("old-id", "the tenant whose tokens move", asTenantId),
  argument("new-id", "the tenant that they read from now on; it must be published", asTenantId),
);

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

/** `tenant list`: which tenants the source, the store and the tokens have. */
export const tenantList = command({ buildWithin, json }, async (shell, { buildWithin, json }) => {
  const settings = settingsOf(shell);
  const { signal } = shell;
  const askSource = () => withSourceReading(settings, signal, readTenants);
  const reader = { ...readerOf(shell), buildWithinMs: buildWithin };
  const { report, list } = await withStore(settings, (store) =>
    listTenants(store, askSource, reader, signal),
  );
  if (json) printJson(shell, tenantListJson(report, list, reader.now));
  else if (report.tenants.length > 0) shell.stdout.write(statusTable(report, layoutOf(shell), list));
  else shell.stderr.write("No tenant. Fill the source, then run `snapshot build`.\n");
  const reasons = Object.entries(list.away).filter(([, reason]) => reason !== null);
  for (const [side, reason] of json ? [] : reasons) {
    shell.stderr.write(`partner-programs: the ${side} could not be asked: ${printable(reason ?? "")}\n`);
  }
  return reasons.length === 0 ? 0 : 3;
});
