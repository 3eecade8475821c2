import type { Problem } from "../../schemas/generated/types.ts";
import type { LastRun } from "../support/run-history.ts";
import { explainPath } from "./addresses.ts";
import { type Html, html } from "./html.ts";
import { badge } from "./parts.ts";

/** More are in the report itself. */
const maxShownFindings = 50;

/** What the last run found in a tenant's data; `false` when that is nothing. */
export function findingsSection(tenantId: string, { tenantRun }: LastRun): Html | false {
  const problems = tenantRun?.problems ?? [];
  if (tenantRun === null || problems.length === 0) return false;
  const total = problems.length + tenantRun.problemsOmitted;
  const shown = problems.slice(0, maxShownFindings);
  return html`<section aria-labelledby="findings"><h2 id="findings">What the last run found in the data</h2>
<ul class="findings">${shown.map((problem) => finding(tenantId, problem))}</ul>
${total > shown.length && html`<p>… and ${total - shown.length} more, in the run’s report.</p>`}</section>`;
}

function finding(tenantId: string, { severity, programId, field, value, message, code }: Problem): Html {
  const place =
    field === null
      ? ""
      : html` <code>${field}</code>${value !== null && html` = <q><bdi>${value}</bdi></q>`}`;
  return html`<li>${badge(severity, severity === "error" ? "bad" : "doubtful")}
${programId !== null && html`<a href="${explainPath(tenantId, programId)}"><bdi>${programId}</bdi></a>`}${place}
<span class="rule">${message} <code>${code}</code></span></li>`;
}
