import type { IncomingMessage } from "node:http";

/** Sets a header of a request that the SDK has built and not yet signed; for what its commands have no field for. */
export function setRequestHeader(request: unknown, name: string, value: string): void {
  if (!hasHeaders(request)) throw new TypeError("the SDK's request has no headers");
  request.headers[name] = value;
}

/** The text of a request's body, as for a command with an XML body. */
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
 * The command with its answer, which came past the SDK: sent now, it reads that answer instead of asking for another. So
 * whatever is not the plain case, every error above all, is the SDK's to understand, the store's time included.
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
