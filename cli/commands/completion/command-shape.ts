import type { Argument, Command, Option } from "commander";

/** How a shell completes the value of an option or argument. */
export type Value =
  | { readonly kind: "files" | "folders" | "text" }
  | { readonly kind: "choices"; readonly choices: readonly string[] };

export interface OptionShape {
  /** With their dashes, the long one first. */
  readonly flags: readonly string[];
  readonly description: string;
  /** `undefined` when the option takes no value. */
  readonly value: Value | undefined;
  readonly isRepeatable: boolean;
}

/** A command as a shell completes it. */
export interface CommandShape {
  /** The words that call it after the program's name: `snapshot explain`. Empty for the program itself. */
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly commands: readonly CommandShape[];
  readonly options: readonly OptionShape[];
  /** The values of its arguments. The last one may be repeated. */
  readonly values: readonly Value[];
}

/** The shape of a command and of all below it. */
export function commandShape(command: Command, path = ""): CommandShape {
  const commands = command.commands.map((child) => commandShape(child, `${path} ${child.name()}`.trim()));
  return {
    path,
    name: command.name(),
    description: command.description(),
    commands,
    options: command.createHelp().visibleOptions(command).map(optionShape),
    values: command.registeredArguments.map(argumentValue),
  };
}

/** The command itself and all below it. */
export function allShapes(shape: CommandShape): readonly CommandShape[] {
  return [shape, ...shape.commands.flatMap(allShapes)];
}

/** The words that call it, each behind a slash: `/snapshot/explain`. */
export function pathOf({ path }: CommandShape): string {
  return path === "" ? "" : `/${path.replaceAll(" ", "/")}`;
}

function optionShape(option: Option): OptionShape {
  return {
    flags: [option.long, option.short].filter((flag) => flag !== undefined && flag !== null),
    description: option.description,
    value: option.required || option.optional ? optionValue(option) : undefined,
    isRepeatable: option.variadic || option.description.includes("may be repeated"),
  };
}

/** The placeholder in the flags says what the value is: a file in `--log <file>`. */
function optionValue({ flags, argChoices }: Option): Value {
  if (argChoices !== undefined) return { kind: "choices", choices: argChoices };
  if (flags.includes("<file")) return { kind: "files" };
  return { kind: flags.includes("<dir") ? "folders" : "text" };
}

function argumentValue({ argChoices }: Argument): Value {
  return argChoices === undefined ? { kind: "text" } : { kind: "choices", choices: argChoices };
}
