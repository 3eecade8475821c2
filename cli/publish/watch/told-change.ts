import { isProgramId, isTenantId, type TenantId } from "../../../core/ids.ts";

/** What a notification says: a tenant changed, or one program of it. */
export interface ToldChange {
  readonly tenantId: TenantId;
  readonly program: string | undefined;
}

/**
 * The payload of `NOTIFY partner_source_changed`: `<tenant id>` or `<tenant id> <program id>`; `undefined` for any other,
 * which means everything. An id that no program can have may still be a row's, so it stands for the whole tenant.
 */
export function toldChange(payload: string): ToldChange | undefined {
  const [tenantId = "", program, ...rest] = payload.split(" ");
  if (!isTenantId(tenantId) || program === "" || rest.length > 0) return undefined;
  return { tenantId, program: program !== undefined && isProgramId(program) ? program : undefined };
}
