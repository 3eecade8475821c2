import { parseArgs } from "node:util";

/** The options of the command line (`--rounds 5`), all of which take a value, with these defaults. */
export function benchOptions<Name extends string>(
  defaults: Readonly<Record<Name, string>>,
): Readonly<Record<Name, string>> {
  const options: Record<string, { readonly type: "string" }> = {};
  for (const name of Object.keys(defaults)) options[name] = { type: "string" };
  return { ...defaults, ...parseArgs({ options }).values };
}
