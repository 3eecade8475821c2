import type { IncomingMessage } from "node:http";

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
