import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Logger } from "../../../core/logger.ts";
import { parsedUrl } from "../../../core/parsed-url.ts";
import { decodedThroughout, tokenFree } from "../../shell/token-free.ts";
import type { Access, Gate } from "./access.ts";
import { stylesheetPath } from "./addresses.ts";
import { type Answer, type Inspection, pageDocument } from "./page.ts";
import { failurePage, pageAt } from "./pages.ts";
import { stylesheet } from "./stylesheet.ts";

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
  server.maxConnections = maxConnections;
  server.headersTimeout = 10_000;
  server.requestTimeout = 20_000;
  return server;
}

/** More are refused, so that open connections cannot use up the process's file descriptors. */
const maxConnections = 500;

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  { inspection, gate, log }: InspectServerOptions,
): Promise<void> {
  const beganAtMs = performance.now();
  const url = targetUrl(req.url ?? "/");
  const access = gate(req, url);
  res.on("close", () => {
    logVisit(log, req, access, { status: res.statusCode, durationMs: performance.now() - beganAtMs });
  });
  if (access.kind === "refused") {
    send(res, access.status, plainText, access.message);
    return;
  }
  if (req.method !== "GET") {
    res.setHeader("Allow", "GET");
    send(res, 405, plainText, "These pages are read-only: GET is all there is.\n");
  } else if (access.kind === "welcome") {
    res.setHeader("Set-Cookie", access.cookie);
    sendRedirect(res, access.location);
  } else if (url?.pathname === stylesheetPath) {
    send(res, 200, "text/css; charset=utf-8", stylesheet);
  } else sendPage(res, await pageAt(url, inspection).catch(failurePage), inspection.store.address);
}

function sendPage(res: ServerResponse, page: Answer, storeAddress: string): void {
  if ("location" in page) sendRedirect(res, page.location);
  else {
    if (page.retryAfterSeconds !== undefined) res.setHeader("Retry-After", page.retryAfterSeconds);
    send(res, page.status, "text/html; charset=utf-8", pageDocument(page, storeAddress));
  }
}

function sendRedirect(res: ServerResponse, location: string): void {
  res.setHeader("Location", location);
  send(res, 303, plainText, "");
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

/** The target as a URL with a fixed host, so that no target can name another host. */
function targetUrl(target: string): URL | undefined {
  if (!target.startsWith("/")) return undefined;
  return parsedUrl(`http://inspect.invalid${target}`);
}

/**
 * P66: logs one line for each request: who looked at what, and when. The line holds neither the key of the run nor a token that
 * somebody pasted, and no header. A name is logged only when the gate has granted the request.
 */
function logVisit(
  log: Logger,
  req: IncomingMessage,
  access: Access,
  { status, durationMs }: { readonly status: number; readonly durationMs: number },
): void {
  const { method, socket, url = "" } = req;
  const { remoteAddress = null } = socket;
  const user = access.kind === "granted" ? access.user : null;
  const target = publicTarget(url);
  const visit = { user, remoteAddress, method, target, status, durationMs: Math.round(durationMs) };
  log.info(visit, "visit");
}

/** The target without any `key`, however it is encoded. A mistyped key is hidden, too, since it is nearly the right one. */
function publicTarget(target: string): string {
  const plain = decodedThroughout(target);
  const shown = plain.replace(/([?&]key=).*/s, "$1…");
  return tokenFree(shown === plain ? target : shown).slice(0, maxTarget);
}

const maxTarget = 1000;
