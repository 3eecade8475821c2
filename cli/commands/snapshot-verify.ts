import { Command } from "commander";
import { Failure } from "../../core/failure.ts";
import { isTenantId, parseTenantId, type TenantId } from "../../core/ids.ts";
import { tenantsPrefix } from "../../core/object-key.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import { verificationText } from "../presentation/verification-text.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { action, printJson, type Shell, settingsOf } from "../shell/shell.ts";
import { withStore } from "../shell/with-store.ts";
import { type TenantVerification, verifyTenant } from "../snapshot/verify-tenant.ts";
import { parsedOption } from "./parsed-option.ts";

interface VerifyFlags {
  readonly tenant?: TenantId;
  readonly json: boolean;
}

/** `snapshot verify`: whether every object that partners can be sent is what it should be. */
export function snapshotVerify(shell: Shell): Command {
  return new Command()
    .option("--tenant <id>", "only this tenant", parsedOption(parseTenantId))
    .option("--json", "print an object for programs (see docs/json.md)", false)
    .action(action(shell, (flags: VerifyFlags) => run(shell, flags)));
}

async function run(shell: Shell, { tenant, json }: VerifyFlags): Promise<ExitStatus> {
  const results: TenantVerification[] = [];
  const settings = settingsOf(shell);
  await withStore(settings, async (store) => {
    for await (const tenantId of chosenTenants(store, tenant, shell.signal)) {
      results.push(await verifyTenant(store, tenantId, settings.liveCopy, shell.signal));
    }
  });
  if (tenant !== undefined && results[0]?.outcome === "unpublished") throw unpublished(tenant);
  const isClean = results.every(({ outcome }) => outcome !== "findings");
  if (json) printJson(shell, { outcome: isClean ? "clean" : "findings", tenants: results });
  else shell.stdout.write(verificationText(results));
  return isClean ? 0 : 1;
}

async function* chosenTenants(
  store: ObjectStore,
  tenant: TenantId | undefined,
  signal: AbortSignal,
): AsyncGenerator<TenantId> {
  if (tenant !== undefined) {
    yield tenant;
    return;
  }
  for await (const folder of store.listFolders(tenantsPrefix, { signal })) {
    if (isTenantId(folder)) yield folder;
  }
}

function unpublished(tenantId: TenantId): Failure {
  return new Failure(
    "not_found",
    `Nothing was ever published for tenant ${tenantId}, so there is nothing to verify. Check the id.`,
  );
}
