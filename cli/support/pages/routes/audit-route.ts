import { parseTenantId, type TenantId } from "../../../../core/ids.ts";
import { readAudit } from "../../../operate/audit/read-audit.ts";
import { auditPage } from "../audit-page.ts";
import type { Inspection } from "../inspection.ts";
import type { Page } from "../page.ts";
import { route } from "../route.ts";

export const auditRoute = route({
  pattern: "/audit",
  parse: (_, query): TenantId | undefined => {
    const tenant = query.get("tenant")?.trim() ?? "";
    return tenant === "" ? undefined : parseTenantId(tenant);
  },
  page,
});

/** A page is read by a person. */
const maxShown = 100;

async function page(tenantId: TenantId | undefined, { store, now, signal }: Inspection): Promise<Page> {
  const reading = await readAudit(store, { tenantId, since: undefined, limit: maxShown }, signal);
  return auditPage({ tenantId, reading }, now());
}
