import { asFailure, Failure } from "../../../core/failure.ts";
import type { TenantId } from "../../../core/ids.ts";
import { withSourceReading } from "../../database/with-source-reading.ts";
import { isTenantListed } from "../../publish/source/read-tenants.ts";
import type { CliSettings } from "../../shell/shell.ts";

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
