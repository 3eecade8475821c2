import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Failure } from "../../core/failure.ts";
import { parsedUrl } from "../../core/parsed-url.ts";
import { accessOf } from "./access.ts";
import { stylesheetPath } from "./addresses.ts";
import { failurePage } from "./failure-page.ts";
import { type Page, pageDocument } from "./page.ts";
import { type Inspection, pageAt } from "./pages.ts";
import { stylesheet } from "./stylesheet.ts";

/** A server of read-only pages, to be bound to loopback, for whoever has the key. */
export function createInspectServer(inspection: Inspection, key: string): Server {
  const server = createServer((req, res) => {
    answer(req, res, inspection, key).catch(() => res.destroy());
  });
  return server;
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  inspection: Inspection,
  key: string,
): Promise<void> {
  const url = targetUrl(req.url ?? "/");
  const access = accessOf(req, url, key);
  if (access.kind === "refused") {
    send(res, access.status, plainText, access.message);
    return;
  }
  if (req.method !== "GET") {
    res.setHeader("Allow", "GET");
    send(res, 405, plainText, "These pages are read-only: GET is all there is.\n");
    return;
  }
  if (access.kind === "welcome") {
    res.setHeader("Set-Cookie", access.cookie);
    res.setHeader("Location", access.location);
    send(res, 303, plainText, "");
    return;
  }
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

/** Whatever the target looks like, its host is ours. */
function targetUrl(target: string): URL | undefined {
  if (!target.startsWith("/")) return undefined;
  return parsedUrl(`http://inspect.invalid${target}`);
}
