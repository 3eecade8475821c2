import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdminHostCheck } from "../../../core/admin-host.ts";
import { Failure } from "../../../core/failure.ts";

export interface AdminServerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Names that it answers to, beside IP addresses, `localhost` and `host`. */
  readonly hostNames: readonly string[];
  /** Why builds are not as fresh as they should be; `undefined` while they are. */
  readonly notReadyCause: () => string | undefined;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

/** Runs with a listener for health, readiness and metrics; `use` gets its address. Throws `settings` if it cannot listen. */
export async function withAdminServer<Result>(
  options: AdminServerOptions,
  use: (address: string) => Promise<Result>,
): Promise<Result> {
  const isAdminHost = createAdminHostCheck([options.host, ...options.hostNames]);
  const server = createServer((req, res) => {
    req.resume();
    if (!isAdminHost(req.headers.host)) sendJson(res, 421, { status: "misdirected", reason: unknownHost });
    else if (req.method !== "GET" && req.method !== "HEAD") {
      res.setHeader("Allow", "GET, HEAD");
      sendJson(res, 405, { status: "method_not_allowed" });
    } else {
      const [path = ""] = (req.url ?? "").split("?");
      answer(path, options, res).catch(() => sendJson(res, 500, { status: "error" }));
    }
  });
  try {
    return await use(await listen(server, options.host, options.port));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function answer(path: string, options: AdminServerOptions, res: ServerResponse): Promise<void> {
  switch (path) {
    case "/healthz":
      return sendJson(res, 200, { status: "ok" });
    case "/readyz": {
      const reason = options.notReadyCause();
      if (reason === undefined) return sendJson(res, 200, { status: "ready" });
      return sendJson(res, 503, { status: "not_ready", reason });
    }
    case "/metrics":
      return send(res, 200, options.metrics.contentType, await options.metrics.text());
    default:
      return sendJson(res, 404, { status: "not_found", paths: ["/healthz", "/readyz", "/metrics"] });
  }
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  send(res, status, "application/json; charset=utf-8", JSON.stringify(body));
}

function send(res: ServerResponse, status: number, contentType: string, body: string): void {
  res.writeHead(status, { "Content-Type": contentType, "Cache-Control": "no-store" });
  res.end(body);
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new Failure("settings", `Cannot listen on ${host}:${port}: ${error.code}.`, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Failure("internal", "Not a TCP listener.");
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}

/** Says nothing of what was asked for: whoever reads it need not be the one who asked. */
const unknownHost =
  "Ask by IP address, as localhost, or by a name that the setting WATCH_ADMIN_HOST or ADMIN_HOST_NAMES has.";
