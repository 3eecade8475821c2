import type { Problem } from "../../../schemas/generated/types.ts";
import { type Html, html } from "../../output/html.ts";
import type { LastRun } from "../run-history.ts";
import { explainPath } from "./addresses.ts";
import type { CsvTable } from "./csv.ts";
import { type FindingGroup, groupedFindings } from "./finding-groups.ts";
import { badge } from "./parts.ts";

/** More are in the report itself. */
const maxShownGroups = 50;
const maxShownValues = 5;
/** The rest of a group's programs is folded away. */
const maxShownPrograms = 10;

/** What the last run found in a tenant's data, what repeats said once; `false` when that is nothing. */
export function findingsSection(tenantId: string, { tenantRun }: LastRun): Html | false {
  const problems = tenantRun?.problems ?? [];
  if (tenantRun === null || problems.length === 0) return false;
  const groups = groupedFindings(problems);
  const shown = groups.slice(0, maxShownGroups);
  const rest = groups
    .slice(maxShownGroups)
    .reduce((sum, { count }) => sum + count, tenantRun.problemsOmitted);
  return html`<section aria-labelledby="findings"><h2 id="findings">What the last run found in the data</h2>
<ul class="findings">${shown.map((group) => finding(tenantId, group))}</ul>
${rest > 0 && html`<p>… and ${rest.toLocaleString("en")} more, in the run’s report.</p>`}</section>`;
}

/** Each finding by itself, as the run reported it. */
export function findingsTables(lastRun: LastRun | null): readonly CsvTable[] {
  const problems = lastRun?.tenantRun?.problems ?? [];
  if (problems.length === 0) return [];
  const columns = ["severity", "code", "program", "field", "value", "message"];
  const rows = problems.map(({ severity, code, programId, field, value, message }) => [
    severity,
    code,
    programId,
    field,
    value,
    message,
  ]);
  return [{ name: "findings", columns, rows }];
}

function finding(tenantId: string, group: FindingGroup): Html {
  const { severity, field, message, code, count, programIds } = group;
  const first = programIds.slice(0, maxShownPrograms);
  const rest = programIds.slice(maxShownPrograms);
  return html`<li>${badge(severity, severity === "error" ? "bad" : "doubtful")}
${count > 1 && html`<strong>${count} times</strong>`}
${field !== null && html`<code>${field}</code>`}${valuesOf(group)}
<span class="rule">${message} <code>${code}</code></span>
${first.length > 0 && html`<span class="places">${links(tenantId, first)}</span>`}
${
  rest.length > 0 &&
  html`<details><summary>${rest.length} more ${rest.length === 1 ? "program" : "programs"}</summary><span class="places">${links(tenantId, rest)}</span></details>`
}</li>`;
}

function valuesOf({ values }: FindingGroup): Html | false {
  if (values.length === 0) return false;
  const shown = values.slice(0, maxShownValues);
  const more = values.length - shown.length;
  const texts = shown.map(
    ({ value, count }, at) =>
      html`${at > 0 && ", "}<q><bdi>${value}</bdi></q>${values.length > 1 && count > 1 && html` (${count})`}`,
  );
  return html` = ${texts}${more > 0 && `, and ${more} other values`}`;
}

function links(tenantId: string, programIds: readonly NonNullable<Problem["programId"]>[]): readonly Html[] {
  return programIds.map(
    (programId, at) =>
      html`${at > 0 && ", "}<a href="${explainPath(tenantId, programId)}"><bdi>${programId}</bdi></a>`,
  );
}
