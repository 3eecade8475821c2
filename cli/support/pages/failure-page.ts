import { asFailure } from "../../../core/failure.ts";
import { html } from "../../output/html.ts";
import { home } from "./addresses.ts";
import type { Page } from "./page.ts";
import { notice } from "./parts.ts";

/** A page that says what went wrong. Failures are written for operators, and so is this page. */
export function failurePage(error: unknown): Page {
  const { code, message } = asFailure(error);
  if (code === "busy") return busyPage(message);
  const isAbsent = code === "not_found" || code === "usage";
  const title = isAbsent ? "Not found" : "This could not be read";
  return {
    status: isAbsent ? 404 : 500,
    title,
    trail: [{ text: "Tenants", path: home }],
    main: html`<h1>${title}</h1>${notice("bad", html`<p>${message}</p>`)}
${isAbsent && html`<ul class="ways"><li><a href="${home}">All tenants</a></li></ul>`}`,
  };
}

/** P180 */
function busyPage(message: string): Page {
  const title = "Busy";
  return {
    status: 503,
    retryAfterSeconds: 5,
    title,
    trail: [{ text: "Tenants", path: home }],
    main: html`<h1>${title}</h1>${notice("doubtful", html`<p>${message}</p>`)}`,
  };
}
