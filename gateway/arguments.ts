/** What the command line asks for. */
export type Action =
  | { readonly kind: "serve" | "help" | "version" | "check_config" }
  | { readonly kind: "wrong_usage"; readonly message: string };

export function requestedAction(args: readonly string[]): Action {
  const [argument] = args;
  if (argument === undefined) return { kind: "serve" };
  const action = args.length === 1 ? actions.get(argument) : undefined;
  if (action !== undefined) return { kind: action };
  return {
    kind: "wrong_usage",
    message: `The gateway takes one of ${[...actions.keys()].join(", ")}, or nothing.`,
  };
}

const actions: ReadonlyMap<string, "help" | "version" | "check_config"> = new Map([
  ["--help", "help"],
  ["--version", "version"],
  ["--check-config", "check_config"],
]);
