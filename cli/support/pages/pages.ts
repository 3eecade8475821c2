import { asFailure, Failure } from "../../../core/failure.ts";
import { parseTenantId } from "../../../core/ids.ts";
import { html } from "../../output/html.ts";
import { home, programPath, tenantPath } from "./addresses.ts";
import { findPage } from "./find-page.ts";
import { healthPage } from "./health-page.ts";
import { type Answer, homeTrail, type Inspection, type Page } from "./page.ts";
import { notice, type Tone } from "./parts.ts";
import { programPage } from "./program-page.ts";
import { requestPage } from "./request-page.ts";
import { tenantPage } from "./tenant-page.ts";

/** The page at the address. Throws `not_found` when there is none, as for a target that is no address at all. */
export async function pageAt(url: URL | undefined, inspection: Inspection): Promise<Answer> {
  if (url === undefined) throw nowhere();
  const segments = url.pathname.split("/").slice(1).map(decoded);
  const query = url.searchParams;
  // Names and ids take turns.
  const pattern = segments.map((segment, at) => (at % 2 === 0 || segment === "" ? segment : ":"));
  const [, id = "", , programId = ""] = segments;
  switch (`/${pattern.join("/")}`) {
    case home:
    case "/health":
      return await healthPage(inspection);
    case "/find":
      return await findPage(query, inspection);
    case "/requests/:":
      return await requestPage(id, inspection);
    case "/tenants/:":
      return await tenantPage(parseTenantId(id), inspection);
    case "/tenants/:/programs": {
      // The form asks in this way, and so does an id that cannot stand in a path.
      const asked = query.get("id")?.trim() ?? "";
      if (asked === "" || asked.length > 500) return { location: tenantPath(id) };
      const location = programPath(id, asked);
      if (!location.includes("?")) return { location };
      return await programPage(parseTenantId(id), asked, query, inspection);
    }
    case "/tenants/:/programs/:":
      return await programPage(parseTenantId(id), programId, query, inspection);
    default:
      throw nowhere();
  }
}

function nowhere(cause?: unknown): Failure {
  return new Failure("not_found", "There is no page at this address.", { cause });
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw nowhere(error);
  }
}

/** A page that says what went wrong. Failures are written for operators, and so is this page. */
export function failurePage(error: unknown): Page {
  const { code, message } = asFailure(error);
  // P180: too many questions wait for the booking database. The page says so, and when to try again.
  if (code === "busy") return { ...messagePage(503, "Busy", "doubtful", message), retryAfterSeconds: 5 };
  if (code !== "not_found" && code !== "usage") {
    return messagePage(500, "This could not be read", "bad", message);
  }
  return messagePage(404, "Not found", "bad", message);
}

function messagePage(status: number, title: string, tone: Tone, message: string): Page {
  const main = html`<h1>${title}</h1>${notice(tone, html`<p>${message}</p>`)}
<p><a href="${home}">All tenants</a></p>`;
  return { status, title, trail: homeTrail, main };
}
