import type { IncomingMessage, ServerResponse } from "node:http";
import express, { type Express } from "express";

/** Answers a request whatever its path and method. */
export type RawHandler = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * The Express application that hosts the API, not listening. Paths and methods of the API are decided by one ordered
 * list of checks, which answers everything; so that list takes the place of Express's router, whose work per request
 * (parsing the URL, walking layers, saving and restoring the request's fields) would cost more than all the checks.
 */
export function createApp(handle: RawHandler): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.disable("query parser");
  Object.defineProperty(app, "router", { value: { handle } });
  return app;
}
