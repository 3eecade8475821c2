import { parseTenantId, type TenantId } from "../../../core/ids.ts";
import { changeWords, endWords } from "../../operate/audit/audit-text.ts";
import { type AuditEntry, type AuditReading, readAudit } from "../../operate/audit/read-audit.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { auditPath, home, tenantPath } from "./addresses.ts";
import type { Page } from "./page.ts";
import { badge, dataTable, notice, type Tone, time } from "./parts.ts";
import type { Inspection } from "./route.ts";
import { route } from "./route.ts";

export interface AuditView {
  /** Of one tenant only. */
  readonly tenantId: string | undefined;
  readonly reading: AuditReading;
}

/** Who changed what for partners, newest first. */
function auditPage({ tenantId, reading }: AuditView, reader: Reader): Page {
  const { records, hasOlder, faults } = reading;
  const title = tenantId === undefined ? "Changes by operators" : `Changes of ${tenantId} by operators`;
  const count = `${records.length.toLocaleString("en")} ${records.length === 1 ? "change" : "changes"}.`;
  const older = hasOlder ? " Older ones: partner-programs audit list." : "";
  const main = html`<h1>${title}</h1>
${faults.length > 0 && notice("doubtful", html`<p>Some records can’t be read.</p>${faults.map((fault) => html`<p>${fault}</p>`)}`)}
<form class="search" action="${auditPath()}" method="get" aria-label="Changes by operators">
<label for="tenant">Tenant</label>
<div class="field"><input id="tenant" name="tenant" autocomplete="off" spellcheck="false" value="${tenantId ?? ""}"><button>Show</button></div>
</form>
<p class="lead" role="status">${count}${older}</p>
${
  records.length > 0 &&
  dataTable(
    "Changes by operators, newest first",
    [
      { title: "Command", isHeading: true },
      { title: "When" },
      { title: "Tenant" },
      { title: "Who" },
      { title: "End" },
      { title: "What" },
      { title: "Reason" },
    ],
    records.map((record) => cells(record, reader)),
  )
}`;
  return { status: 200, title, trail: [{ text: "Tenants", path: home }], main };
}

function cells(record: AuditEntry, reader: Reader): readonly (Html | string)[] {
  const { at, command, actor, reason, tenants, outcome } = record;
  return [
    html`<code>${command}</code>`,
    time(at, reader),
    tenants.length === 0
      ? "–"
      : html`${tenants.slice(0, maxTenants).map((tenantId) => html`<a href="${tenantPath(tenantId)}">${tenantId}</a> `)}${tenants.length > maxTenants && html`and ${tenants.length - maxTenants} more`}`,
    html`<bdi>${actor.user}</bdi> on <bdi>${actor.host}</bdi>`,
    badge(endWords(record), tones[outcome]),
    html`<bdi>${changeWords(record)}</bdi>`,
    reason === null ? "–" : html`<bdi>${reason}</bdi>`,
  ];
}

const maxTenants = 3;
const tones: Readonly<Record<AuditEntry["outcome"], Tone>> = {
  begun: "doubtful",
  done: "good",
  failed: "bad",
};

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

async function page(tenantId: TenantId | undefined, { store, reader, signal }: Inspection): Promise<Page> {
  const reading = await readAudit(store, { tenantId, since: undefined, limit: maxShown }, signal);
  return auditPage({ tenantId, reading }, reader());
}
