import { IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import express, { type Express, type RequestHandler } from "express";
import { reportingResponse } from "./node-internals.ts";

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

/**
 * Message classes whose prototypes *are* the application's. Express gives every request and response the
 * application's prototypes; for objects that have them from birth this does nothing, for others it makes V8 throw
 * away what it learned about them, and a request costs four times the processor time. `onOut` is called with each response
 * that is wholly out.
 */
export function messageClasses(
  app: Express,
  onOut: (res: ServerResponse, socket: Socket) => void,
): {
  readonly Request: typeof IncomingMessage;
  readonly Response: typeof ServerResponse;
} {
  class Request extends IncomingMessage {}
  const Response = reportingResponse(onOut);
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { Request, Response };
}
