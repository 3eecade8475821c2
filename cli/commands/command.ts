import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { Failure } from "../../core/ground/failure.ts";
import type { ObjectStore } from "../../core/store/object-store.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { type Shell, settingsOf, withStore } from "../shell/shell.ts";

/** Turns the text of an option or argument into its value; throws a `Failure` for wrong usage. */
type Parse<Value> = (text: string, shell: Shell) => Value;

/** An option or argument of a command, named like its value in kebab case, which has the type `Value`. */
export interface Part<Value> {
  readonly isArgument?: boolean;
  /** A word for the value in the help: `<id>`. An option without it is a flag. */
  readonly placeholder?: string;
  readonly description: string;
  readonly parse?: Parse<unknown>;
  /** The texts that are allowed, for an option without a parser. */
  readonly choices?: readonly string[];
  readonly isRequired?: boolean;
  /** Whether it may be given several times, so that its value is a list. */
  readonly isRepeated?: boolean;
  readonly otherwise?: Value;
  /** The names of values whose options it cannot stand beside. */
  readonly excluded?: readonly string[];
}

/** An option without a value: `--dry-run`. */
export function flag(description: string): Part<boolean> {
  return { description };
}

/** `--json`, of every command that reports. */
export const json = flag("print JSON for programs (see docs/json.md)");

/** What options with values have: a word for the value in the help, a description, and the parser. */
type Described<Value> = [placeholder: string, description: string, parse: Parse<Value>];

/** An option with a value that may be left out: `--to <id>`. */
export function value<Value>(
  ...[placeholder, description, parse]: Described<Value>
): Part<Value | undefined> {
  return { placeholder, description, parse };
}

/** An option that must be given. */
export function required<Value>(...[placeholder, description, parse]: Described<Value>): Part<Value> {
  return { placeholder, description, parse, isRequired: true };
}

/** An option with a value of its own. */
export function defaulted<Value>(
  ...[placeholder, description, parse, otherwise]: [...Described<Value>, otherwise: Value]
): Part<Value> {
  return { placeholder, description, parse, otherwise };
}

/** An option that may be repeated. */
export function repeated<Value>(
  ...[placeholder, description, parse]: Described<Value>
): Part<readonly Value[] | undefined> {
  return { placeholder, description, parse, isRepeated: true };
}

/** A parser of texts that are taken as they are. */
export function asText(text: string): string {
  return text;
}

/** A parser of the texts for which `read` has a value. */
export function expecting<Value>(
  what: string,
  read: (text: string, shell: Shell) => Value | undefined,
): Parse<Value> {
  return (text, shell) => {
    const value = read(text, shell);
    if (value === undefined) throw new Failure("usage", `Expected ${what}`);
    return value;
  };
}

/** An argument that must be given. The arguments of a command come in the order of its parts. */
export function argument<Value>(description: string, parse: Parse<Value>): Part<Value> {
  return { isArgument: true, description, parse, isRequired: true };
}

/** An argument that may be left out. */
export function optionalArgument<Value>(description: string, parse: Parse<Value>): Part<Value | undefined> {
  return { isArgument: true, description, parse };
}

/** The last argument, which may be given several times, or never. */
export function repeatedArgument<Value>(description: string, parse: Parse<Value>): Part<readonly Value[]> {
  return { isArgument: true, description, parse, isRepeated: true };
}

type Parts = Readonly<Record<string, Part<unknown>>>;

export type Values<Of extends Parts> = {
  readonly [Name in keyof Of]: Of[Name] extends Part<infer Value> ? Value : never;
};

/**
 * A command: its options and arguments by their values' names, and what it does. Without an exit status it
 * ends with 0.
 */
export function command<Of extends Parts>(
  parts: Of,
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
  run: (shell: Shell, values: Values<Of>) => Promise<ExitStatus | void>,
): (shell: Shell) => Command {
  return (shell) => {
    const made = new Command();
    const names: string[] = [];
    // Commander itself would say a missing option before an unknown one, which is what was meant (P210).
    const required: Option[] = [];
    for (const [name, part] of Object.entries(parts)) {
      const inKebabCase = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const own = commanderPart(inKebabCase, part, shell);
      if (own instanceof Argument) {
        made.addArgument(own);
        names.push(name);
      } else {
        made.addOption(own);
        if (part.isRequired) required.push(own);
        // A default of the option itself would be shown by the help, and says nothing new about a flag.
        if (own.isBoolean()) made.setOptionValueWithSource(name, false, "default");
      }
    }
    return made.action(async () => {
      const missing = required.find((option) => made.opts()[option.attributeName()] === undefined);
      if (missing !== undefined) made.error(`error: required option '${missing.flags}' not specified`);
      const positional = Object.fromEntries(names.map((name, at) => [name, made.processedArgs[at]]));
      shell.finish((await run(shell, { ...made.opts(), ...positional } as Values<Of>)) ?? 0);
    });
  };
}

/** The part as commander has it. */
function commanderPart(name: string, part: Part<unknown>, shell: Shell): Option | Argument {
  const { placeholder, description, parse, choices, isRepeated, otherwise, excluded } = part;
  if (part.isArgument) {
    const named = isRepeated ? `[${name}...]` : part.isRequired ? `<${name}>` : `[${name}]`;
    return new Argument(named, description).argParser(parser(part, shell));
  }
  const option = new Option(`--${name} ${placeholder ?? ""}`.trimEnd(), description);
  if (choices !== undefined) option.choices(choices);
  if (parse !== undefined) option.argParser(parser(part, shell));
  if (otherwise !== undefined) option.default(otherwise);
  return Object.assign(option.conflicts([...(excluded ?? [])]), { isRequired: part.isRequired === true });
}

/** A parser for commander, which puts the name of the option before the message about wrong usage. */
function parser({ parse = asText, isRepeated }: Part<unknown>, shell: Shell) {
  return (text: string, previous: unknown): unknown => {
    try {
      const value = parse(text, shell);
      return isRepeated ? [...(Array.isArray(previous) ? previous : []), value] : value;
    } catch (error) {
      if (error instanceof Failure) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}

/** A command that looks into the store, which is open while it runs. */
export function storeCommand<Of extends Parts>(
  parts: Of,
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
  run: (shell: Shell, values: Values<Of>, store: ObjectStore) => Promise<ExitStatus | void>,
): (shell: Shell) => Command {
  return command(parts, (shell, values) =>
    withStore(settingsOf(shell), (store) => run(shell, values, store)),
  );
}
