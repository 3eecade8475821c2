import { asFailure, Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import type { ObjectStore } from "../../../core/object-store.ts";
import { withSourceReading } from "../../database/with-database-url.ts";
import { readRemovedTenants } from "../../publish/snapshot/removed-tenants.ts";
import { isTenantListed } from "../../publish/source/read-tenants.ts";
import type { CliSettings } from "../../shell/shell.ts";
import { assertPublished } from "../tokens/assert-published.ts";
import { readRegistry } from "../tokens/edit-registry.ts";

/** Throws `not_found` for a tenant that was neither published nor removed, and has no token (P56). */
export async function assertKnownTenant(
  store: ObjectStore,
  tenantId: TenantId,
  signal: AbortSignal,
): Promise<void> {
  if ((await readRemovedTenants(store, signal)).has(tenantId)) return;
  const { registry } = await readRegistry(store);
  if (registry.tokens.some((token) => token.tenantId === tenantId)) return;
  await assertPublished(store, tenantId, signal);
}

/** Whether the booking database lists the tenant. Throws `source_unavailable`, which names `--without-source`. */
export async function isInSource(
  tenantId: TenantId,
  settings: CliSettings,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await withSourceReading(settings, signal, (client) => isTenantListed(client, tenantId));
  } catch (error) {
    const { code, message } = asFailure(error);
    if (code === "interrupted") throw error;
    throw new Failure(
      "source_unavailable",
      `Whether the booking database has a tenant ${tenantId} could not be asked; nothing was done. ${message.replace(/\.?$/, ".")} ` +
        "If it surely has none, pass --without-source.",
      { cause: error },
    );
  }
}
