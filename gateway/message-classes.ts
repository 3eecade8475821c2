import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Express } from "express";

/**
 * Message classes whose prototypes *are* the application's. Express gives every request and response the
 * application's prototypes; for objects that have them from birth this does nothing, for others it makes V8 throw
 * away what it learned about them, which costs two thirds of the gateway's speed. `onOut` is told of each response that
 * is wholly out.
 */
export function messageClasses(
  app: Express,
  onOut: (res: ServerResponse, socket: Socket) => void,
): {
  readonly Request: typeof IncomingMessage;
  readonly Response: typeof ServerResponse;
} {
  class Request extends IncomingMessage {}
  class Response<Message extends IncomingMessage = IncomingMessage> extends ServerResponse<Message> {
    // A body that is shorter or longer than announced would slide into the next response.
    override strictContentLength = true;

    /** Called by Node; an event of its own would cost each response a listener. */
    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      onOut(this, socket);
    }
  }
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  Object.assign(app, { request: Request.prototype, response: Response.prototype });
  return { Request, Response };
}
