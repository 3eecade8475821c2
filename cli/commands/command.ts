import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { Failure } from "../../core/failure.ts";
import type { ObjectStore } from "../../core/object-store.ts";
import type { ExitStatus } from "../shell/exit-status.ts";
import { type Shell, settingsOf, withStore } from "../shell/shell.ts";

/** Turns the text of an option or argument into its value; throws a `Failure` for wrong usage. */
type Parse<Value> = (text: string, shell: Shell) => Value;

/** A parser for commander, which puts the name of the option before the message about wrong usage. */
function parser<Value>(parse: Parse<Value>, shell: Shell): (text: string) => Value {
  return (text) => {
    try {
      return parse(text, shell);
    } catch (error) {
      if (error instanceof Failure) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}

/** An option or argument of a command, made from the name of its value in kebab case. `Value` is the type of this value. */
interface Part<Value, Kind> {
  readonly make: (name: string, shell: Shell) => Kind;
  readonly value?: Value;
}

export type Flag<Value> = Part<Value, Option>;

/** An option without a value: `--dry-run`. */
export function flag(description: string): Flag<boolean> {
  return { make: (name) => new Option(`--${name}`, description) };
}

/** `--json`, of every command that reports. */
export const json = flag("print JSON for programs (see docs/json.md)");

/** What options and arguments with values have: a word for the value in the help, a description, and the parser. */
type Described<Value> = [placeholder: string, description: string, parse: Parse<Value>];

/** An option with a value that may be left out: `--to <id>`. */
export function value<Value>(
  ...[placeholder, description, parse]: Described<Value>
): Flag<Value | undefined> {
  return {
    make: (name, shell) =>
      new Option(`--${name} ${placeholder}`, description).argParser(parser(parse, shell)),
  };
}

/** An option that must be given. */
export function required<Value>(...described: Described<Value>): Flag<Value> {
  const { make } = value(...described);
  return { make: (name, shell) => make(name, shell).makeOptionMandatory() };
}

/** An option with a value of its own. */
export function defaulted<Value>(
  placeholder: string,
  description: string,
  parse: Parse<Value>,
  otherwise: Value,
): Flag<Value> {
  const { make } = value(placeholder, description, parse);
  return { make: (name, shell) => make(name, shell).default(otherwise) };
}

/** An option that may be repeated. */
export function repeated<Value>(...described: Described<Value>): Flag<readonly Value[] | undefined> {
  const { make } = value(...described);
  return { make: (name, shell) => make(name, shell).argParser(collected(described[2], shell)) };
}

/** The option, which cannot stand beside those of these names. */
export function excluding<Value>({ make }: Flag<Value>, ...names: readonly string[]): Flag<Value> {
  return { make: (name, shell) => make(name, shell).conflicts([...names]) };
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
export function argument<Value>(description: string, parse: Parse<Value>): Part<Value, Argument> {
  return { make: (name, shell) => new Argument(name, description).argParser(parser(parse, shell)) };
}

/** An argument that may be left out. */
export function optionalArgument<Value>(
  description: string,
  parse: Parse<Value>,
): Part<Value | undefined, Argument> {
  const { make } = argument(description, parse);
  return { make: (name, shell) => make(name, shell).argOptional() };
}

/** The last argument, which may be given several times, or never. */
export function repeatedArgument<Value>(
  description: string,
  parse: Parse<Value>,
): Part<readonly Value[], Argument> {
  return {
    make: (name, shell) => new Argument(`[${name}...]`, description).argParser(collected(parse, shell)),
  };
}

/** A parser for what may be given several times. */
function collected<Value>(parse: Parse<Value>, shell: Shell) {
  const parseOne = parser(parse, shell);
  return (text: string, previous: readonly Value[] | undefined) => [...(previous ?? []), parseOne(text)];
}

type Parts = Readonly<Record<string, Part<unknown, Option | Argument>>>;

export type Values<Of extends Parts> = {
  readonly [Name in keyof Of]: Of[Name] extends Part<infer Value, unknown> ? Value : never;
};

/** A command of the program: its options and arguments by the names of their values, and what it does. Without an exit status it ends with 0. */
export function command<Of extends Parts>(
  parts: Of,
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
  run: (shell: Shell, values: Values<Of>) => Promise<ExitStatus | void>,
): (shell: Shell) => Command {
  return (shell) => {
    const made = new Command();
    const names: string[] = [];
    for (const [name, { make }] of Object.entries(parts)) {
      const inKebabCase = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const part = make(inKebabCase, shell);
      if (part instanceof Argument) {
        made.addArgument(part);
        names.push(name);
      } else {
        made.addOption(part);
        // A default of the option itself would be shown by the help, and says nothing new about a flag.
        if (part.isBoolean()) made.setOptionValueWithSource(name, false, "default");
      }
    }
    return made.action(async () => {
      const positional = Object.fromEntries(names.map((name, at) => [name, made.processedArgs[at]]));
      shell.finish((await run(shell, { ...made.opts(), ...positional } as Values<Of>)) ?? 0);
    });
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
