import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Failure } from "../../../core/failure.ts";
import type { Logger } from "../../../core/logger.ts";
import { parsedUrl } from "../../../core/parsed-url.ts";
import { logVisit } from "./access/access-log.ts";
import type { Access, Gate } from "./access/gate.ts";
import { stylesheetPath } from "./addresses.ts";
import { boundConnections } from "./fair-connections.ts";
import { pageDocument } from "./page.ts";
import { failurePage, pageAt } from "./pages.ts";
import type { Answer, Inspection } from "./route.ts";
import { deskStyles, stylesheet } from "./stylesheet.ts";

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
  boundConnections(server);
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
  const url = targetUrl(req.url ?? "/");
  const access = await gate(req, url);
  const user = access.kind === "granted" ? access.user : null;
  const cause = access.kind === "refused" ? (access.cause ?? null) : null;
  res.on("close", () => {
    logVisit(log, req, { user, status: res.statusCode, durationMs: performance.now() - beganAtMs, cause });
  });
  if (access.kind === "granted" && access.cookie !== undefined) res.setHeader("Set-Cookie", access.cookie);
  if (access.kind === "granted") await answerGranted(req, url, res, inspection);
  else answerOther(req, res, access);
}

function answerOther(
  req: IncomingMessage,
  res: ServerResponse,
  access: Exclude<Access, { kind: "granted" }>,
): void {
  if (access.kind === "refused") {
    for (const [name, value] of Object.entries(access.headers ?? {})) res.setHeader(name, value);
    send(res, access.status, plainText, access.message);
  } else if (req.method !== "GET") sendReadOnly(res);
  else {
    res.setHeader("Set-Cookie", access.cookie);
    sendRedirect(res, access.location);
  }
}

async function answerGranted(
  req: IncomingMessage,
  url: URL | undefined,
  res: ServerResponse,
  inspection: Inspection,
): Promise<void> {
  if (req.method !== "GET") {
    sendReadOnly(res);
    return;
  }
  if (url?.pathname === stylesheetPath) {
    send(res, 200, "text/css; charset=utf-8", stylesheet + deskStyles);
    return;
  }
  const page = await pageOrFailure(url, inspection);
  if ("location" in page) sendRedirect(res, page.location);
  else if ("fileName" in page) {
    res.setHeader("Content-Disposition", `attachment; filename="${page.fileName}"`);
    send(res, 200, page.contentType, page.body);
  } else {
    if (page.retryAfterSeconds !== undefined) res.setHeader("Retry-After", page.retryAfterSeconds);
    send(res, page.status, "text/html; charset=utf-8", pageDocument(page, inspection.store.address));
  }
}

async function pageOrFailure(url: URL | undefined, inspection: Inspection): Promise<Answer> {
  try {
    if (url === undefined) throw new Failure("not_found", "There is no page at this address.");
    return await pageAt(url, inspection);
  } catch (error) {
    return failurePage(error);
  }
}

function sendReadOnly(res: ServerResponse): void {
  res.setHeader("Allow", "GET");
  send(res, 405, plainText, "These pages are read-only: GET is all there is.\n");
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
