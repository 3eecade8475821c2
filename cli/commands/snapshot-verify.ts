import { Command } from "commander";
import type { Confirmations } from "../../core/confirmations.ts";
import type { TenantId } from "../../core/ids.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { TenantVerification } from "../operate/snapshots/verification.ts";
import { verificationText } from "../operate/snapshots/verification-text.ts";
import { readConfirmed, verifyTenant } from "../operate/snapshots/verify-tenant.ts";
import { layoutOf, printText } from "../output/layout.ts";
import { storedTenants, unknownTenant } from "../publish/snapshot/stored-tenants.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { whereNothingIs } from "../support/facts/where-nothing-is.ts";
import { asTenantId } from "./option-values.ts";

interface VerifyFlags {
  readonly tenant?: TenantId;
  readonly json: boolean;
}

/** `snapshot verify`: whether every object that partners can get is intact. */
export function snapshotVerify(shell: Shell): Command {
  return new Command()
    .option("--tenant <id>", "only this tenant", asTenantId)
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, run));
}

async function run(shell: Shell, { tenant, json }: VerifyFlags): Promise<ExitStatus> {
  const results: TenantVerification[] = [];
  const settings = settingsOf(shell);
  const nothing = await withStore(settings, async (store) => {
    const { signal } = shell;
    const confirmations = await readConfirmed(store, signal);
    const context = { store, isLiveTreeWanted: settings.liveCopy, confirmations, signal };
    const tenants = tenant === undefined ? await publishedTenants(store, confirmations, signal) : [tenant];
    for (const tenantId of tenants) results.push(await verifyTenant(tenantId, context));
    if (results.some(({ outcome }) => outcome !== "unpublished")) return "";
    const nothing = await whereNothingIs(store, shell);
    if (tenant === undefined) return nothing;
    const what = `Nothing is published for tenant ${tenant}, so there is nothing to verify. Check the id. ${nothing}`;
    throw await unknownTenant(store, tenant, what, signal);
  });
  const isClean = results.every(({ outcome }) => outcome !== "findings");
  if (json) printJson(shell, { outcome: isClean ? "clean" : "findings", tenants: results });
  else printText(shell, verificationText(results, layoutOf(shell), nothing));
  return isClean ? 0 : 1;
}

/** The tenants with objects in the store, and those that a build has published. */
async function publishedTenants(
  store: ObjectStore,
  confirmations: Confirmations,
  signal: AbortSignal,
): Promise<readonly TenantId[]> {
  const tenantIds = new Set<TenantId>();
  for await (const tenantId of storedTenants(store, signal)) tenantIds.add(tenantId);
  for (const [tenantId, { snapshotId }] of confirmations) if (snapshotId !== null) tenantIds.add(tenantId);
  return [...tenantIds].sort();
}
