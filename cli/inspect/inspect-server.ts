import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Failure } from "../../core/failure.ts";
import { parsedUrl } from "../../core/parsed-url.ts";
import { stylesheetPath } from "./addresses.ts";
import { failurePage } from "./failure-page.ts";
import { type Page, pageDocument } from "./page.ts";
import { type Inspection, pageAt } from "./pages.ts";
import { stylesheet } from "./stylesheet.ts";

/**
 * A server of read-only pages for this machine alone. It has no login, so it must not answer for anybody else: it listens
 * on loopback, and answers only to the names of loopback, since a page of the web could otherwise point a name of its own
 * at 127.0.0.1 and read everything through the visitor's browser (DNS rebinding).
 */
export function createInspectServer(inspection: Inspection): Server {
  const server = createServer((req, res) => {
    answer(req, res, inspection).catch(() => res.destroy());
  });
  return server;
}

async function answer(req: IncomingMessage, res: ServerResponse, inspection: Inspection): Promise<void> {
  if (!isOurName(req.headers.host, req.socket.localPort)) {
    send(res, 421, plainText, "This server answers to 127.0.0.1 and localhost only.\n");
    return;
  }
  if (req.method !== "GET") {
    res.setHeader("Allow", "GET");
    send(res, 405, plainText, "These pages are read-only: GET is all there is.\n");
    return;
  }
  const url = targetUrl(req.url ?? "/");
  if (url?.pathname === stylesheetPath) {
    send(res, 200, "text/css; charset=utf-8", stylesheet);
    return;
  }
  const page = await pageOrFailure(url, inspection);
  send(res, page.status, "text/html; charset=utf-8", pageDocument(page, inspection.store.address));
}

async function pageOrFailure(url: URL | undefined, inspection: Inspection): Promise<Page> {
  try {
    if (url === undefined) throw new Failure("not_found", "There is no page at this address.");
    return await pageAt(url, inspection);
  } catch (error) {
    return failurePage(error);
  }
}

function send(res: ServerResponse, status: number, contentType: string, body: string): void {
  res.writeHead(status, { ...securityHeaders, "Content-Type": contentType });
  res.end(body);
}

const plainText = "text/plain; charset=utf-8";

/** Nothing is loaded from anywhere but our own stylesheet, nothing runs, nobody may frame or embed a page. */
const securityHeaders = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

function isOurName(host: string | undefined, port: number | undefined): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

/** Whatever the target looks like, its host is ours. */
function targetUrl(target: string): URL | undefined {
  if (!target.startsWith("/")) return undefined;
  return parsedUrl(`http://inspect.invalid${target}`);
}
