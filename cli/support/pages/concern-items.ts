import { counted } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { type Concern, concernKinds, concernSentence, type SharedConcern } from "../judgement/concern.ts";
import { programPath, requestPath, tenantPath } from "./addresses.ts";
import { badge, stepList, time } from "./parts.ts";

/** A concern with its time, its programs and what to do about it. */
export function concernItem(concern: Concern, reader: Reader, isOpen = false): Html {
  const { kind, severity, tenantId, at, programs, requestId, steps } = concern;
  const { title, when } = concernKinds[kind];
  const shown = programs.slice(0, maxShownPrograms);
  const more = programs.length - shown.length;
  const link = (programId: string | null): Html | string =>
    // D131: a program without an id has no page of its own.
    programId === null || tenantId === null
      ? "a program without an id (NULL)"
      : html`<a href="${programPath(tenantId, programId)}"><bdi>${programId}</bdi></a>`;
  return html`${badge(title, severity)} ${concernSentence(concern)}
${at !== null && html`<span class="line">${when}: ${time(at, reader)}</span>`}
${shown.length > 0 && html`<span class="line">${shown.map((programId, index) => html`${index > 0 && ", "}${link(programId)}`)}${more > 0 && ` and ${more} more`}</span>`}
${requestId !== null && html`<span class="line"><a href="${requestPath(requestId)}">One of these requests</a></span>`}
${steps.length > 0 && (isOpen ? stepList(steps) : html`<details><summary>What to do</summary>${stepList(steps)}</details>`)}`;
}

const maxShownPrograms = 10;

/** The tenants with a concern, and the concern once. */
export function concernList({ concern, tenantIds }: SharedConcern, reader: Reader): Html {
  const shown = tenantIds.slice(0, maxShownTenants);
  const more = tenantIds.length - shown.length;
  const names = html`${shown.map((tenantId, at) => html`${at > 0 && ", "}<a href="${tenantPath(tenantId)}">${tenantId}</a>`)}${more > 0 && html` and ${counted(more, "more tenant")}`}`;
  return html`<p>${tenantIds.length > 1 && html`<strong>${counted(tenantIds.length, "tenant")}</strong>: `}${names}</p>
${concernItem(tenantIds.length > 1 ? forEach(concern) : concern, reader)}`;
}

/** A concern of several tenants. Its commands name none of them. */
function forEach(concern: Concern): Concern {
  const { tenantId, steps } = concern;
  const commandOf = (command: string): string => command.replace(` --tenant ${tenantId}`, " --tenant TENANT");
  return { ...concern, steps: steps.map((step) => ({ ...step, commands: step.commands.map(commandOf) })) };
}

const maxShownTenants = 5;
