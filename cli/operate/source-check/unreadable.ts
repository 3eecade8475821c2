import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { hasSqlState } from "../../database/source-client.ts";
import { shownValue } from "../../publish/public-program/problem.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { failingViews } from "../../publish/source/tenant-rows.ts";
import { advice, maxExamples, viewProblem } from "./view-problem.ts";

/** The views that fail for a tenant that could not be read. */
export async function unreadableViews(
  client: SourceClient,
  tenantId: TenantId,
): Promise<readonly SourceProblem[]> {
  const found: SourceProblem[] = [];
  for await (const { view, error } of failingViews(client, tenantId)) {
    found.push(unreadableView(view, error, tenantId));
  }
  return found;
}

/** Tenants that could not be read although each view by itself gives their rows. */
export function unreadableTenants(errors: ReadonlyMap<TenantId, Error>): readonly SourceProblem[] {
  const [first] = errors;
  if (first === undefined) return [];
  const message = `Reading the tenant ${first[0]} fails: ${first[1].message}`;
  const fix =
    "correct the views so that a condition on tenant_id gives the rows of that tenant and no others";
  const examples = [...errors].slice(0, maxExamples).map(([tenantId, error]) => ({
    tenantId,
    programId: null,
    value: shownValue(error.message),
  }));
  return [{ ...unreadable(null, message, fix), count: errors.size, examples }];
}

/** `tenantId`: whose rows could not be read; `undefined` when the view fails for all. */
export function unreadableView(view: string, error: Error, tenantId?: TenantId): SourceProblem {
  const whose = tenantId === undefined ? "" : ` for the tenant ${tenantId}`;
  const condition = tenantId === undefined ? "" : ` WHERE tenant_id = '${tenantId}'`;
  const query = `SELECT * FROM partner_source.${view}${condition}`;
  const message = `Reading partner_source.${view}${whose} fails: ${error.message}`;
  // A view reads its tables with its owner's rights, a security_invoker view with those of whoever asks.
  const fix = hasSqlState(error, "42501")
    ? `GRANT what is denied to the view's owner, or, of a security_invoker view, to the connected role; ${query} tells whether it suffices`
    : `run ${query} and correct the view`;
  return unreadable(view, message, fix);
}

function unreadable(view: string | null, message: string, fix: string): SourceProblem {
  const code = view === null ? "tenant_unreadable" : "view_unreadable";
  return viewProblem(code, "error", view, `${message}.`.replace(/\.\.$/, "."), advice(fix));
}
