import type { TenantId } from "../../../core/ids.ts";
import type { SourceClient } from "../../database/connect.ts";
import { hasSqlState } from "../../database/source-client.ts";
import { shownValue } from "../../publish/public-program/problem.ts";
import { viewNames } from "../../publish/source/contract.ts";
import { ofTenant } from "../../publish/source/program-queries.ts";
import type { SourceProblem } from "../../publish/source/source-problem.ts";
import { failingViews, tryReading } from "../../publish/source/tenant-rows.ts";
import { maxExamples, viewProblem } from "./findings.ts";

/** What could not be read: of each view the first failure, and the tenants that fail though each view by itself gives their rows. */
export class Unreadable {
  readonly views = new Map<string, SourceProblem>();
  readonly #tenants = new Map<TenantId, Error>();

  /** `tenantId`: whose rows could not be read; `undefined` when the view fails for all. */
  addView(view: string, error: Error, tenantId?: TenantId): void {
    if (this.views.has(view)) return;
    const whose = tenantId === undefined ? "" : ` for the tenant ${tenantId}`;
    const condition = tenantId === undefined ? "" : ` WHERE tenant_id = '${tenantId}'`;
    const fix = fixOf(error, `SELECT * FROM partner_source.${view}${condition}`);
    const message = sentence(`Reading partner_source.${view}${whose} fails: ${error.message}`);
    this.views.set(view, viewProblem("view_unreadable", "error", view, message, fix));
  }

  async addTenant(client: SourceClient, tenantId: TenantId, error: Error): Promise<void> {
    let isNamed = false;
    for await (const failing of failingViews(client, tenantId)) {
      isNamed = true;
      this.addView(failing.view, failing.error, tenantId);
    }
    // Such texts fail on their way to the reader alone, so each view is read as a whole.
    for (const view of hasSqlState(error, encodingState) ? viewNames() : []) {
      const query = `SELECT * FROM partner_source.${view} WHERE ${ofTenant}`;
      const reading = await tryReading(client, () => client.query(query, [tenantId]));
      if (!("error" in reading)) continue;
      isNamed = true;
      this.addView(view, reading.error, tenantId);
    }
    if (!isNamed) this.#tenants.set(tenantId, error);
  }

  get problems(): readonly SourceProblem[] {
    const [first] = this.#tenants;
    if (first === undefined) return [...this.views.values()];
    const message = sentence(`Reading the tenant ${first[0]} fails: ${first[1].message}`);
    const fix =
      "correct the views so that a condition on tenant_id gives the rows of that tenant and no others";
    const examples = [...this.#tenants].slice(0, maxExamples).map(([tenantId, { message }]) => {
      return { tenantId, programId: null, value: shownValue(message) };
    });
    const found = { count: this.#tenants.size, examples };
    return [...this.views.values(), viewProblem("tenant_unreadable", "error", null, message, fix, found)];
  }
}

/** SQLSTATE of bytes that are no text in the encoding that they are said to have. */
const encodingState = "22021";

function fixOf(error: Error, query: string): string {
  // A view reads its tables with its owner's rights, a security_invoker view with those of whoever asks.
  if (hasSqlState(error, "42501")) {
    return `GRANT what is denied to the view's owner, or, of a security_invoker view, to the connected role; ${query} tells whether it suffices`;
  }
  // P133: a database with the encoding SQL_ASCII takes any bytes for text, and refuses those that are not UTF-8 to readers.
  if (hasSqlState(error, encodingState)) {
    return (
      "read such texts in the view as what they are, " +
      "convert_from(convert(convert_to(value::text, 'SQL_ASCII'), 'WIN1252', 'UTF8'), 'SQL_ASCII'), " +
      `with the encoding that wrote them in place of WIN1252; ${query} tells whether it suffices`
    );
  }
  return `run ${query} and correct the view`;
}

function sentence(text: string): string {
  return `${text}.`.replace(/\.\.$/, ".");
}
