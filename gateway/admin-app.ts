import express, { type ErrorRequestHandler, type Express } from "express";
import { createAdminHostCheck } from "../core/admin-host.ts";
import type { Readiness } from "./readiness.ts";

export interface AdminAppOptions {
  /** That it answers to, beside IP addresses and `localhost`. */
  readonly hostNames: readonly string[];
  readonly readiness: Pick<Readiness, "notReadyCause" | "note">;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

/** Health, readiness and metrics, for the operator's network only. */
export function createAdminApp(options: AdminAppOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");

  const isAdminHost = createAdminHostCheck(options.hostNames);
  app.use((req, res, next) => {
    res.setHeader("Cache-Control", "no-store");
    if (isAdminHost(req.headers.host)) next();
    else res.status(421).json({ status: "misdirected", reason: unknownHost });
  });

  app.get("/healthz", (_req, res) => {
    res.json({ status: "ok" });
  });

  app.get("/readyz", (_req, res) => {
    const reason = options.readiness.notReadyCause();
    if (reason === undefined) res.json({ status: "ready", note: options.readiness.note() });
    else res.status(503).json({ status: "not_ready", reason });
  });

  app.get("/metrics", async (_req, res) => {
    const text = await options.metrics.text();
    res.type(options.metrics.contentType).send(text);
  });

  app.use((_req, res) => {
    res.status(404).json({ status: "not_found", paths: ["/healthz", "/readyz", "/metrics"] });
  });

  const onError: ErrorRequestHandler = (_error, _req, res, _next) => {
    res.status(500).json({ status: "error" });
  };
  app.use(onError);
  return app;
}

/** Says nothing of what was asked for: whoever reads it need not be the one who asked. */
const unknownHost =
  "Ask by IP address, as localhost, or by a name that the setting ADMIN_HOST or ADMIN_HOST_NAMES has.";
