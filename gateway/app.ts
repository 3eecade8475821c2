import type { IncomingMessage, ServerResponse } from "node:http";
import express, { type Express, type RequestHandler } from "express";

/** Answers a request whatever its path and method. */
export type RawHandler = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * The Express application that hosts the API, not listening. The API is its last middleware; `middleware` runs before it,
 * in its order, and may answer by itself. Express has nothing of its own to say: no route, no header, no error page.
 */
export function createApp(middleware: readonly RequestHandler[], answer: RawHandler): Express {
  const app = express();
  app.disable("x-powered-by");
  for (const handler of middleware) app.use(handler);
  app.use(answer);
  return app;
}
