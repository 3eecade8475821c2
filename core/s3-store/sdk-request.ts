import type { IncomingMessage } from "node:http";

/** Sets a header for which the SDK's command has no field. The request is built and not yet signed. */
export function setRequestHeader(request: unknown, name: string, value: string): void {
  if (!hasHeaders(request)) throw new TypeError("the SDK's request has no headers");
  request.headers[name] = value;
}

/** The body of a request as text, for a command with an XML body. */
export function requestBodyText(request: unknown): string {
  const body =
    typeof request === "object" && request !== null && "body" in request ? request.body : undefined;
  if (typeof body !== "string") throw new TypeError("the SDK's request has no text body");
  return body;
}

function hasHeaders(request: unknown): request is { readonly headers: Record<string, string> } {
  return typeof request === "object" && request !== null && "headers" in request;
}

/**
 * The command with an answer that a plain request got. When the command is sent, the SDK reads that answer and sends nothing. So
 * the SDK handles everything but the usual case: all errors, and the store's time in them.
 */
export function withAnswer<Command extends AnyCommand>(command: Command, answer: IncomingMessage): Command {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const response = {
    statusCode: answer.statusCode ?? -1,
    reason: answer.statusMessage,
    headers,
    body: answer,
  };
  command.middlewareStack.add(() => async () => ({ response }), {
    step: "deserialize",
    priority: "low",
    name: "withAnswer",
  });
  return command;
}

interface AnyCommand {
  readonly middlewareStack: {
    add(
      middleware: () => () => Promise<{ readonly response: unknown }>,
      options: { readonly step: "deserialize"; readonly priority: "low"; readonly name: string },
    ): void;
  };
}
