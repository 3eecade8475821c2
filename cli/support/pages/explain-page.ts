import { isProgramId, parseTenantId } from "../../../core/ids.ts";
import { html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { type Explanation, explainProgram } from "../explain.ts";
import { verdictTone } from "../judgement/standing.ts";
import { programFacts } from "../texts/program-facts.ts";
import { programPath } from "./addresses.ts";
import { changesTable, changeTable } from "./change-rows.ts";
import { type Page, tenantTrail } from "./page.ts";
import { describedFacts, notice, stepList } from "./parts.ts";
import { programLinks } from "./program-links.ts";
import { route } from "./route.ts";
import { whyForm } from "./tenant-page.ts";

export const explainRoute = route("/tenants/:tenant/explain", async ({ tenant, query }, inspection) => {
  const tenantId = parseTenantId(tenant);
  // The text is not checked to be an id, since the page also explains ill-formed ids.
  const programId = query.get("program")?.trim() ?? "";
  if (programId === "" || programId.length > 500) {
    const main = html`<h1>Explain a program</h1>${whyForm(tenantId)}`;
    return { status: 200, title: "Explain", trail: tenantTrail(tenantId), main };
  }
  const reader = inspection.reader();
  return explainPage(await explainProgram({ ...inspection, reader }, { tenantId, programId }), reader);
});

function explainPage(explanation: Explanation, reader: Reader): Page {
  const { tenantId, programId, verdict, summary, store, changes, next } = explanation;
  const isServed = store.kind === "live" && store.served !== null;
  const main = html`<h1>Why <bdi>${programId}</bdi> is ${isServed ? "served as it is" : "not served"}</h1>
${notice(verdictTone(verdict), html`<p>${summary}</p>`)}
<section aria-labelledby="next"><h2 id="next">What to do next</h2>
${stepList(next.steps)}</section>
<section aria-labelledby="way"><h2 id="way">From the booking system to the partner</h2>
${describedFacts(programFacts(explanation), reader)}</section>
${
  changes !== null &&
  changes.length > 0 &&
  html`<section aria-labelledby="pending"><h2 id="pending">What the booking system has, and partners do not see</h2>${changeTable("Differences", changes)}</section>`
}
${isServed && html`<p><a href="${programPath(tenantId, programId)}">See it as partners do</a></p>`}
${isProgramId(programId) && programLinks(tenantId, programId, "explain")}
${whyForm(tenantId, programId)}`;
  const tables = changes === null || changes.length === 0 ? [] : [changesTable(changes)];
  return { status: 200, title: `Explain ${programId}`, trail: tenantTrail(tenantId), main, tables };
}
