import type { Argument, Command, Option } from "commander";

/** What follows an option or stands as an argument, as far as a shell can complete it. */
export type Value =
  | { readonly kind: "files" | "folders" | "text" }
  | { readonly kind: "choices"; readonly choices: readonly string[] };

export interface OptionShape {
  /** With their dashes, the long one first. */
  readonly flags: readonly string[];
  readonly description: string;
  /** `undefined`: the option takes none. */
  readonly value: Value | undefined;
  readonly isRepeatable: boolean;
}

/** A command as a shell completes it. */
export interface CommandShape {
  /** The words that call it, below the program: `snapshot explain`; empty for the program itself. */
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly commands: readonly CommandShape[];
  readonly options: readonly OptionShape[];
  /** Of its arguments; the last one may come several times. */
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

function optionShape(option: Option): OptionShape {
  return {
    flags: [option.long, option.short].filter((flag) => flag !== undefined && flag !== null),
    description: option.description,
    value: option.required || option.optional ? optionValue(option) : undefined,
    isRepeatable: option.variadic || option.description.includes("may be repeated"),
  };
}

/** The placeholder of the flags (`--log <file>`) says what a value is. */
function optionValue({ flags, argChoices }: Option): Value {
  if (argChoices !== undefined) return { kind: "choices", choices: argChoices };
  if (flags.includes("<file")) return { kind: "files" };
  return { kind: flags.includes("<dir") ? "folders" : "text" };
}

function argumentValue({ argChoices }: Argument): Value {
  return argChoices === undefined ? { kind: "text" } : { kind: "choices", choices: argChoices };
}
