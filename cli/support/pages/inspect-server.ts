import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Logger } from "../../../core/logger.ts";
import { parsedUrl } from "../../../core/parsed-url.ts";
import { packageFile } from "../../shell/package-file.ts";
import { decodedThroughout, tokenFree } from "../../shell/token-free.ts";
import type { Gate } from "./access.ts";
import { stylesheetPath } from "./addresses.ts";
import { type Answer, type Inspection, pageDocument } from "./page.ts";
import { failurePage, pageAt } from "./pages.ts";

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
    const visit = {
      user,
      remoteAddress,
      method,
      target: publicTarget(target),
      status: res.statusCode,
      durationMs,
    };
    log.info(visit, "visit");
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
 * The target without a token that somebody pasted, and without any `key`, however it is encoded. A mistyped key is hidden, too,
 * since it is nearly the right one.
 */
function publicTarget(target: string): string {
  const plain = decodedThroughout(target);
  const shown = plain.replace(/([?&]key=).*/s, "$1…");
  return tokenFree(shown === plain ? target : shown).slice(0, 1000);
}
