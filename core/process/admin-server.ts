import { createServer, type Server, type ServerResponse } from "node:http";
import { isIP } from "node:net";

export interface AdminServerOptions {
  /** The listener answers to these names, to IP addresses and to `localhost`. */
  readonly hostNames: readonly string[];
  /** Why the program is not ready; `undefined` while it is. */
  readonly notReadyCause: () => string | undefined;
  /** A remark for operators about a program that is ready; `undefined` when there is none. */
  readonly note?: () => string | undefined;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

/** Health, readiness and metrics for the operator's network: a server that does not listen yet. */
export function createAdminServer({ hostNames, notReadyCause, note, metrics }: AdminServerOptions): Server {
  const isAdminHost = createAdminHostCheck(hostNames);

  async function answer(url: string, res: ServerResponse): Promise<void> {
    const [path = ""] = url.replace(/^https?:\/\/[^/?]*/i, "").split("?");
    switch (path.toLowerCase().replace(/\/$/, "")) {
      case "/healthz":
        return sendJson(res, 200, { status: "ok" });
      case "/readyz": {
        const reason = notReadyCause();
        if (reason !== undefined) return sendJson(res, 503, { status: "not_ready", reason });
        return sendJson(res, 200, { status: "ready", note: note?.() });
      }
      case "/metrics":
        return send(res, 200, metrics.contentType, await metrics.text());
      default:
        sendJson(res, 404, { status: "not_found", paths: ["/healthz", "/readyz", "/metrics"] });
    }
  }

  return createServer((req, res) => {
    req.resume();
    if (!isAdminHost(req.headers.host)) sendJson(res, 421, { status: "misdirected", reason: misdirected });
    else if (req.method !== "GET" && req.method !== "HEAD") {
      res.setHeader("Allow", "GET, HEAD");
      sendJson(res, 405, { status: "method_not_allowed" });
    } else answer(req.url ?? "", res).catch(() => sendJson(res, 500, { status: "error" }));
  });
}

/** The text quotes nothing from the request, since another person than its sender may read it. */
const misdirected =
  "Ask by IP address, as localhost, or by a name that the setting ADMIN_HOST or ADMIN_HOST_NAMES has.";

function sendJson(res: ServerResponse, status: number, body: object): void {
  send(res, status, "application/json; charset=utf-8", JSON.stringify(body));
}

function send(res: ServerResponse, status: number, contentType: string, body: string): void {
  res.writeHead(status, { "Content-Type": contentType, "Cache-Control": "no-store" });
  res.end(body);
}

/**
 * Whether a request with this `Host` is meant for this machine's listener. A foreign web page can make its
 * own name resolve to this machine and then read what its visitor's browser gets from here (DNS rebinding).
 * But that browser sends the page's name as `Host`, and no page has an IP address as its name. A request
 * without `Host` comes from no browser.
 */
export function createAdminHostCheck(names: readonly string[]): (host: string | undefined) => boolean {
  const known = new Set(["localhost", ...names.map((name) => name.toLowerCase())]);
  return (host) => {
    if (host === undefined) return true;
    // RFC 3986 section 3.2: without the port, and an IPv6 address without its brackets.
    const [, address, name = address ?? ""] = /^(?:\[([^\]]*)|([^:]*))/.exec(host) ?? [];
    return isIP(name) !== 0 || known.has(name.toLowerCase());
  };
}
