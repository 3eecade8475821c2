import { Failure } from "../../core/ground/failure.ts";
import { isTenantId, parseTenantId, type TenantId } from "../../core/ground/ids.ts";
import { printable } from "../../core/ground/printable.ts";
import { isInSource, removeTenant, type TenantRemoval } from "../change/access/remove-tenant.ts";
import { renameTenant, type TenantRename } from "../change/access/rename-tenant.ts";
import { recordedChange } from "../change/audit/recorded-change.ts";
import { withSourceReading } from "../database/with-database-url.ts";
import { layoutOf } from "../output/layout.ts";
import { counted } from "../output/words.ts";
import { knownSandbox } from "../publish/snapshot/sandbox-tenant.ts";
import { readTenants } from "../publish/source/read-tenants.ts";
import { assertKnownTenant } from "../read/administration/known-tenant.ts";
import { printJson, printResult, settingsOf } from "../shell/shell.ts";
import { orFault } from "../support/facts/last-builds.ts";
import { readTenantFacts, registryReading } from "../support/facts/tenants.ts";
import { judgedTenants } from "../support/judgement/tenant.ts";
import { statusTable, type TenantList, tenantListJson } from "../support/texts/status.ts";
import { argument, command, flag, json, storeCommand } from "./command.ts";
import { buildWithin, reason, supportReader } from "./option-values.ts";

/** `tenant remove`: ends a tenant that the source no longer lists. */
export const tenantRemove = command(
  {
    tenantId: argument("the tenant", parseTenantId),
    purge: flag("delete all that is stored of it, too, for good"),
    withoutSource: flag("do not ask the booking database whether it still lists the tenant"),
    reason,
    json,
  },
  async (shell, { tenantId, purge, withoutSource, reason, json }) => {
    const { signal } = shell;
    const words = purge ? "tenant remove --purge" : "tenant remove";
    const request = { command: words, tenants: [tenantId], reason };
    return await recordedChange(shell, request, async (store, audit) => {
      await assertKnownTenant(store, tenantId, signal);
      // The database is not asked for the sandbox, whose programs come with the generator.
      const isAsked = !withoutSource && (await knownSandbox(store, signal)) !== tenantId;
      if (isAsked && (await isInSource(tenantId, settingsOf(shell), signal))) throw stillInSource(tenantId);
      const removal = await removeTenant(tenantId, purge, { ...shell, store, audit });
      return { say: () => printResult(shell, json, removal, removalText(removal)) };
    });
  },
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
  {
    oldId: argument("the tenant whose tokens move", parseTenantId),
    newId: argument("the tenant that they read from now on; it must be published", parseTenantId),
    allowShrink: flag("also to a tenant with much fewer of the programs, or none"),
    reason,
    json,
  },
  async (shell, { oldId: from, newId: to, allowShrink, reason, json }) => {
    if (from === to) throw new Failure("usage", "Both ids are the same; nothing was done.");
    const request = { command: "tenant rename", tenants: [from, to], reason };
    return await recordedChange(shell, request, async (store, audit) => {
      await assertKnownTenant(store, from, shell.signal);
      const renamed = await renameTenant(from, to, allowShrink, { ...shell, store, audit });
      const text = renameText(from, to, renamed);
      return { say: () => printResult(shell, json, { from, to, ...renamed }, text) };
    });
  },
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

/** `tenant list`: the tenants of source, store and tokens. An unasked source hides no other side. */
export const tenantList = storeCommand({ buildWithin, json }, async (shell, { buildWithin, json }, store) => {
  const { signal } = shell;
  const reader = supportReader(shell, buildWithin);
  const askSource = () => withSourceReading(settingsOf(shell), signal, readTenants);
  const [source, keys] = await Promise.all([orFault(null, signal, askSource), registryReading(store)]);
  // A row without an id is no tenant (D130). `source check` and builds report it.
  const rows = source.value?.flatMap(({ tenantId, name }) =>
    tenantId === null ? [] : [[tenantId, name] as const],
  );
  const names = rows === undefined ? null : new Map(rows);
  const tokens = keys.kind === "read" ? keys.registry.tokens : [];
  const also = [...(names?.keys() ?? []), ...tokens.map(({ tenantId }) => tenantId)].filter(isTenantId);
  const report = judgedTenants(await readTenantFacts({ store, also, signal }), reader);
  const [sourceAway = null] = source.faults;
  const away = { source: sourceAway, store: null, tokens: keys.kind === "read" ? null : keys.reason };
  const list: TenantList = { names, away };
  if (json) printJson(shell, tenantListJson(report, list, reader.now));
  else if (report.tenants.length > 0) shell.stdout.write(statusTable(report, layoutOf(shell), list));
  else shell.stderr.write("No tenant. Fill the source, then run `snapshot build`.\n");
  const reasons = Object.entries(list.away).filter(([, reason]) => reason !== null);
  for (const [side, reason] of json ? [] : reasons) {
    shell.stderr.write(`partner-programs: the ${side} could not be asked: ${printable(reason ?? "")}\n`);
  }
  return reasons.length === 0 ? 0 : 3;
});
