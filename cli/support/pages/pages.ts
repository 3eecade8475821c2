import { asFailure, Failure } from "../../../core/failure.ts";
import { html } from "../../output/html.ts";
import { findFor, findPath, home, programPath, tenantPath } from "./addresses.ts";
import { findRoute } from "./find-page.ts";
import { healthRoutes } from "./health-page.ts";
import { homeTrail, type Page } from "./page.ts";
import { notice, type Tone } from "./parts.ts";
import { programRoutes } from "./program-page.ts";
import { requestRoute } from "./request-page.ts";
import { type Answer, type Inspection, type Route, route } from "./route.ts";
import { tenantRoute } from "./tenant-page.ts";

/** Where addresses of earlier versions lead, so that links in tickets stay good. */
const moved: readonly Route[] = [
  route("/tenants/:tenant/explain", async ([tenant = ""], query) => {
    const program = query.get("program")?.trim() ?? "";
    return { location: program === "" ? tenantPath(tenant) : programPath(tenant, program) };
  }),
  ...(["timeline", "compare"] as const).map((part) =>
    route(`/tenants/:tenant/programs/:program/${part}`, async ([tenant = "", program = ""]) => {
      return { location: programPath(tenant, program) };
    }),
  ),
  ...(["diff", "snapshots", "snapshots/:snapshot"] as const).map((part) =>
    route(`/tenants/:tenant/${part}`, async ([tenant = ""]) => ({ location: tenantPath(tenant) })),
  ),
  route(
    "/tenants/:tenant/snapshots/:snapshot/programs/:program",
    async ([tenant = "", snapshot, program = ""]) => ({
      location: programPath(tenant, program, snapshot),
    }),
  ),
  route("/requests", async () => ({ location: findPath })),
  route("/tokens/:token/client", async ([token = ""]) => ({ location: findFor(token) })),
];

/** No two routes match the same address. */
const routes: readonly Route[] = [
  ...healthRoutes,
  tenantRoute,
  ...programRoutes,
  findRoute,
  requestRoute,
  ...moved,
];

/** The page at the address. Throws `not_found` when there is none, as for a target that is no address at all. */
export async function pageAt(url: URL | undefined, inspection: Inspection): Promise<Answer> {
  const segments = url?.pathname.split("/").slice(1).map(decoded) ?? [];
  for (const route of routes) {
    const answer = route(segments, url?.searchParams ?? new URLSearchParams(), inspection);
    if (answer !== undefined) return await answer;
  }
  throw new Failure("not_found", "There is no page at this address.");
}

/** Throws `usage` when the segment cannot be decoded. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new Failure("usage", "There is no page at this address.", { cause: error });
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
