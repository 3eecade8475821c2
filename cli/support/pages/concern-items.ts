import { counted } from "../../output/counted.ts";
import { type Html, html } from "../../output/html.ts";
import type { Reader } from "../../output/times.ts";
import { type Concern, concernKinds, concernSentence } from "../judgement/concern.ts";
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

/** Concerns of one cause, each of another tenant. There is at least one. */
export interface EqualConcerns {
  readonly concern: Concern;
  readonly tenantIds: readonly string[];
}

/**
 * Concerns that say the same are one, with the number of tenants: a view that is missing keeps back every tenant. Times and the
 * tenant's own id make no difference. In the order of their first ones. Pure.
 */
export function equalConcerns(concerns: readonly Concern[]): readonly EqualConcerns[] {
  const groups = new Map<string, { readonly concern: Concern; readonly tenantIds: string[] }>();
  for (const concern of concerns) {
    const { kind, severity, tenantId, text, programs } = concern;
    const cause = text.replaceAll(timeInWords, "").replaceAll(`tenant ${tenantId}`, "tenant");
    const key = JSON.stringify([kind, severity, cause, programs]);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { concern, tenantIds: [tenantId ?? ""] });
    else known.tenantIds.push(tenantId ?? "");
  }
  return [...groups.values()];
}

/** A time as `plainTime` writes it. */
const timeInWords = /\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d( UTC| \S+ \([^)]*UTC\))/g;

/** The tenants with a concern, and the concern once. */
export function concernList({ concern, tenantIds }: EqualConcerns, reader: Reader): Html {
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
