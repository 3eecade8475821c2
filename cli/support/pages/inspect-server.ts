import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { asFailure, Failure } from "../../../core/ground/failure.ts";
import { parseTenantId } from "../../../core/ground/ids.ts";
import { parsedUrl } from "../../../core/ground/url.ts";
import type { Logger } from "../../../core/process/logger.ts";
import { html } from "../../output/html.ts";
import { decodedThroughout, tokenFree } from "../../output/safe-output.ts";
import { packageFile } from "../../shell/package-file.ts";
import type { Gate } from "./access.ts";
import { home, programPath, stylesheetPath, tenantPath } from "./addresses.ts";
import { findPage } from "./find-page.ts";
import { healthPage } from "./health-page.ts";
import { type Answer, homeTrail, type Inspection, type Page, pageDocument } from "./page.ts";
import { notice, type Tone } from "./parts.ts";
import { programPage } from "./program-page.ts";
import { requestPage } from "./request-page.ts";
import { tenantPage } from "./tenant-page.ts";

export interface InspectServerOptions {
  readonly inspection: Inspection;
  readonly gate: Gate;
  readonly log: Logger;
}

/** A server of read-only pages for requests that the gate lets in. */
export function createInspectServer(options: InspectServerOptions): Server {
  const server = createServer((req, res) => {
    answer(req, res, options).catch(() => res.destroy());
  });
  // More are refused, so that open connections cannot use up the process's file descriptors.
  server.maxConnections = 500;
  server.headersTimeout = 10_000;
  server.requestTimeout = 20_000;
  return server;
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  { inspection, gate, log }: InspectServerOptions,
): Promise<void> {
  const beganAtMs = performance.now();
  const { method, socket, url: target = "" } = req;
  // The host is fixed, so that no target can name another one.
  const url = target.startsWith("/") ? parsedUrl(`http://inspect.invalid${target}`) : undefined;
  const access = gate(req, url);
  // P66: who looked at what, and when. A name is logged only when the gate has granted the request.
  res.on("close", () => {
    const user = access.kind === "granted" ? access.user : null;
    const { remoteAddress = null } = socket;
    const durationMs = Math.round(performance.now() - beganAtMs);
    const asked = { user, remoteAddress, method, target: publicTarget(target) };
    log.info({ ...asked, status: res.statusCode, durationMs }, "visit");
  });
  if (access.kind === "refused") send(res, access.status, plainText, access.message);
  else if (method !== "GET") {
    res.setHeader("Allow", "GET");
    send(res, 405, plainText, "These pages are read-only: GET is all there is.\n");
  } else if (access.kind === "welcome") {
    res.setHeader("Set-Cookie", access.cookie);
    sendAnswer(res, access, "");
  } else if (url?.pathname === stylesheetPath) {
    send(res, 200, "text/css; charset=utf-8", await packageFile("docs/inspect.css"));
  } else sendAnswer(res, await pageAt(url, inspection).catch(failurePage), inspection.store.address);
}

function sendAnswer(res: ServerResponse, page: Answer, storeAddress: string): void {
  if ("location" in page) {
    res.setHeader("Location", page.location);
    send(res, 303, plainText, "");
  } else {
    if (page.retryAfterSeconds !== undefined) res.setHeader("Retry-After", page.retryAfterSeconds);
    send(res, page.status, "text/html; charset=utf-8", pageDocument(page, storeAddress));
  }
}

function send(res: ServerResponse, status: number, contentType: string, body: string): void {
  res.writeHead(status, { ...securityHeaders, "Content-Type": contentType });
  res.end(body);
}

const plainText = "text/plain; charset=utf-8";

/** A page loads nothing but our own stylesheet and runs no script. Other pages may not frame or embed it. */
const securityHeaders = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/**
 * The target without a token that somebody pasted, and without any `key`, however it is encoded. A mistyped
 * key is hidden, too, since it is nearly the right one.
 */
function publicTarget(target: string): string {
  const plain = decodedThroughout(target);
  const shown = plain.replace(/([?&]key=).*/s, "$1…");
  return tokenFree(shown === plain ? target : shown).slice(0, 1000);
}

/** The page at the address. Throws `not_found` without one, also for a target that is no address. */
async function pageAt(url: URL | undefined, inspection: Inspection): Promise<Answer> {
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
function failurePage(error: unknown): Page {
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
