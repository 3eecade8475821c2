/** What the command line asks for. */
export type Action =
  | { readonly kind: "serve" | "help" | "version" | "version_json" | "check_config" }
  | { readonly kind: "wrong_usage"; readonly message: string };

export function requestedAction(args: readonly string[]): Action {
  const [argument] = args;
  if (argument === undefined) return { kind: "serve" };
  const action = actions.get(args.join(" "));
  if (action !== undefined) return { kind: action };
  return {
    kind: "wrong_usage",
    message: `The gateway takes one of ${[...actions.keys()].join(", ")}, or nothing.`,
  };
}

const actions: ReadonlyMap<string, "help" | "version" | "version_json" | "check_config"> = new Map([
  ["--help", "help"],
  ["--version", "version"],
  ["--version --json", "version_json"],
  ["--check-config", "check_config"],
]);
