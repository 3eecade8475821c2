import { parseTenantId } from "../../../core/ids.ts";
import { changeWords, endWords } from "../../operate/audit/audit-text.ts";
import { type AuditEntry, readAudit } from "../../operate/audit/read-audit.ts";
import { counted } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import { auditPath, tenantPath } from "./addresses.ts";
import { homeTrail } from "./page.ts";
import { badge, dataTable, heading, notice, type Tone, tenantForm, time } from "./parts.ts";
import { route } from "./route.ts";

const maxShown = 100;

/** The operators' changes for partners of all tenants or of one, newest first. */
export const auditRoute = route("/audit", async ({ query }, { store, reader, signal }) => {
  const tenant = query.get("tenant")?.trim() ?? "";
  const tenantId = tenant === "" ? undefined : parseTenantId(tenant);
  const wish = { tenantId, since: undefined, limit: maxShown };
  const { records, hasOlder, faults } = await readAudit(store, wish, signal);
  const asked = reader();
  const title = tenantId === undefined ? "Changes by operators" : `Changes of ${tenantId} by operators`;
  const count = `${counted(records.length, "change")}.`;
  const older = hasOlder ? " Older ones: partner-programs audit list." : "";
  const main = html`<h1>${title}</h1>
${faults.length > 0 && notice("doubtful", html`<p>Some records can’t be read.</p>${faults.map((fault) => html`<p>${fault}</p>`)}`)}
${tenantForm(auditPath(), "Changes by operators", tenantId)}
<p class="lead" role="status">${count}${older}</p>
${
  records.length > 0 &&
  dataTable("Changes by operators, newest first", records, {
    Command: heading(({ command }) => html`<code>${command}</code>`),
    When: ({ at }) => time(at, asked),
    Tenant: ({ tenants }) => tenantLinks(tenants),
    Who: ({ actor }) => html`<bdi>${actor.user}</bdi> on <bdi>${actor.host}</bdi>`,
    End: (record) => badge(endWords(record), tones[record.outcome]),
    What: (record) => html`<bdi>${changeWords(record)}</bdi>`,
    Reason: ({ reason }) => (reason === null ? "–" : html`<bdi>${reason}</bdi>`),
  })
}`;
  return { status: 200, title, trail: homeTrail, main };
});

function tenantLinks(tenants: AuditEntry["tenants"]): Html | string {
  if (tenants.length === 0) return "–";
  return html`${tenants.slice(0, maxTenants).map((tenantId) => html`<a href="${tenantPath(tenantId)}">${tenantId}</a> `)}${tenants.length > maxTenants && html`and ${tenants.length - maxTenants} more`}`;
}

const maxTenants = 3;
const tones: Readonly<Record<AuditEntry["outcome"], Tone>> = {
  begun: "doubtful",
  done: "good",
  failed: "bad",
};
