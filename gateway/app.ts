import { IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import express, { type Express, type RequestHandler } from "express";
import { reportingResponse } from "./node-internals.ts";

/** Answers a request whatever its path and method. */
export type RawHandler = (req: IncomingMessage, res: ServerResponse) => void;

/**
 * The Express application that hosts the API. The API is the last middleware. `middleware` runs before it, in the given
 * order, and may answer requests itself. Express adds nothing: no route, no header, no error page.
 */
export function createApp(middleware: readonly RequestHandler[], answer: RawHandler): Express {
  const app = express();
  app.disable("x-powered-by");
  for (const handler of middleware) app.use(handler);
  app.use(answer);
  return app;
}

/**
 * Message classes whose prototypes *are* the application's. Express sets the application's prototypes on every request and
 * response. That does nothing to objects that were created with them. For other objects V8 drops its optimised code, and a
 * request takes four times the processor time. `onOut` is called when a response has been sent completely.
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
