import { Argument, Command, Option } from "commander";
import type { ExitStatus } from "../shell/exit-status.ts";
import type { Shell } from "../shell/shell.ts";

/** Turns the text of an option or argument into its value; throws `InvalidArgumentError` for wrong usage. */
type Parse<Value> = (text: string, shell: Shell) => Value;

/** An option of a command. The type parameter is that of its value. */
export interface Flag<Value> {
  readonly make: (long: string, shell: Shell) => Option;
  readonly value?: Value;
}

/** An option without a value: `--dry-run`. */
export function flag(description: string): Flag<boolean> {
  return { make: (long) => new Option(long, description).default(false) };
}

/** `--json`, of every command that reports. */
export const json = flag("print JSON for programs (see docs/json.md)");

/** An option with a value that may be left out: `--to <id>`. */
export function value<Value>(
  placeholder: string,
  description: string,
  parse: Parse<Value>,
): Flag<Value | undefined> {
  return {
    make: (long, shell) => {
      return new Option(`${long} ${placeholder}`, description).argParser((text) => parse(text, shell));
    },
  };
}

/** An option that must be given. */
export function required<Value>(placeholder: string, description: string, parse: Parse<Value>): Flag<Value> {
  const { make } = value(placeholder, description, parse);
  return { make: (long, shell) => make(long, shell).makeOptionMandatory() };
}

/** An option with a value of its own. */
export function defaulted<Value>(
  placeholder: string,
  description: string,
  parse: Parse<Value>,
  otherwise: Value,
): Flag<Value> {
  const { make } = value(placeholder, description, parse);
  return { make: (long, shell) => make(long, shell).default(otherwise) };
}

/** An option that may be repeated. */
export function repeated<Value>(
  placeholder: string,
  description: string,
  parse: Parse<Value>,
): Flag<readonly Value[] | undefined> {
  return {
    make: (long, shell) =>
      new Option(`${long} ${placeholder}`, description).argParser(
        (text: string, previous: readonly Value[] | undefined) => [...(previous ?? []), parse(text, shell)],
      ),
  };
}

/** The option, which cannot stand beside those of these names. */
export function excluding<Value>({ make }: Flag<Value>, ...names: readonly string[]): Flag<Value> {
  return { make: (long, shell) => make(long, shell).conflicts([...names]) };
}

/** A parser of texts that are taken as they are. */
export function asText(text: string): string {
  return text;
}

/** An argument that must be given. */
export interface Positional<Value> {
  readonly make: (shell: Shell) => Argument;
  readonly value?: Value;
}

export function argument<Value>(name: string, description: string, parse: Parse<Value>): Positional<Value> {
  return {
    make: (shell) => new Argument(`<${name}>`, description).argParser((text) => parse(text, shell)),
  };
}

/** An argument that may be left out. */
export function optionalArgument<Value>(
  name: string,
  description: string,
  parse: Parse<Value>,
): Positional<Value | undefined> {
  return {
    make: (shell) => new Argument(`[${name}]`, description).argParser((text) => parse(text, shell)),
  };
}

/** The last argument, which may be given several times, or never. */
export function repeatedArgument<Value>(
  name: string,
  description: string,
  parse: Parse<Value>,
): Positional<readonly Value[]> {
  return {
    make: (shell) =>
      new Argument(`[${name}...]`, description).argParser(
        (text: string, previous: readonly Value[] | undefined) => [...(previous ?? []), parse(text, shell)],
      ),
  };
}

type Values<Parts> = {
  readonly [Name in keyof Parts]: Parts[Name] extends Flag<infer Value> | Positional<infer Value>
    ? Value
    : never;
};

/** A command of the program: its options by their names, what it does, and its arguments. Without an exit status it ends with 0. */
export function command<
  Flags extends Readonly<Record<string, Flag<unknown>>>,
  Positionals extends readonly Positional<unknown>[],
>(
  flags: Flags,
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing
  run: (shell: Shell, flags: Values<Flags>, ...args: Values<Positionals>) => Promise<ExitStatus | void>,
  ...positionals: Positionals
): (shell: Shell) => Command {
  return (shell) => {
    const made = new Command();
    for (const positional of positionals) made.addArgument(positional.make(shell));
    for (const [name, { make }] of Object.entries(flags)) {
      const long = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      made.addOption(make(long, shell));
    }
    return made.action(async (...args: unknown[]) => {
      // Commander passes the arguments, then the options, then the command.
      const values = args.slice(0, positionals.length) as unknown as Values<Positionals>;
      shell.finish((await run(shell, args[positionals.length] as Values<Flags>, ...values)) ?? 0);
    });
  };
}
