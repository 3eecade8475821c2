import { type Argument, Command, Help, type HelpConfiguration, type Option } from "commander";
import { singleLine } from "../core/ground/printable.ts";
import { commandGroups, commandTable, programExamples } from "./commands/command-table.ts";
import { nearestName } from "./output/words.ts";
import type { Shell } from "./shell/shell.ts";

/**
 * The command line. `args` are the arguments of a call: only the command that they name is loaded. The other
 * commands have just a name and a description, which is all that a help text shows of them. Without `args`
 * all commands are loaded.
 */
export async function createProgram(
  shell: Shell,
  version: string,
  args?: readonly string[],
): Promise<Command> {
  const options = ["help"];
  const program = new Command("partner-programs")
    .description("Publishes tour programs to partners as precomputed snapshots.")
    .version(version)
    .configureHelp(helpFormat)
    .showHelpAfterError("(--help shows what is possible)")
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
      getOutHelpWidth: () => shell.stdout.columns,
      getErrHelpWidth: () => shell.stderr.columns,
      // Errors quote the arguments. Each is kept to one line, so that no argument can forge another line.
      outputError: (text, write) => write(`${singleLine(withNearestOption(text.trimEnd(), options))}\n`),
    })
    .exitOverride();
  withExamples(program, programExamples);
  const parents = new Map<string | undefined, Command>([[undefined, program]]);
  for (const [name, [description, ...examples]] of Object.entries(commandGroups)) {
    parents.set(name, withExamples(program.command(name).description(description), examples));
  }
  const words = (args ?? []).filter((word) => !word.startsWith("-") && word !== "help");
  const [first = "", second] = words;
  const called = [first, `${first} ${second}`].find((words) => Object.hasOwn(commandTable, words));
  // Commander would show the help of the group, or of the program, as if that had been asked for.
  if (called === undefined && words.length > 0 && args?.some((arg) => helpWords.has(arg))) {
    const unknown = commandGroups[first] === undefined ? first : second;
    if (unknown !== undefined) program.error(`error: unknown command '${unknown}'`);
  }
  for (const [words, { description, examples = [""], load }] of Object.entries(commandTable)) {
    const isWanted = args === undefined || words === called;
    const command = isWanted ? (await load())(shell) : new Command();
    if (words === called) for (const { long } of command.options) options.push(long?.slice(2) ?? "");
    const [name = "", group] = words.split(" ").reverse();
    const parent = parents.get(group) ?? program;
    withExamples(command.name(name).description(description), examples, `${words} `);
    // `addCommand` does not pass on our outputs and our way to end, so they are copied.
    parent.addCommand(command.copyInheritedSettings(parent));
  }
  for (const parent of parents.values()) addHelpCommand(parent);
  return program;
}

/** Commander would also name options that nobody could have meant. */
function withNearestOption(error: string, options: readonly string[]): string {
  const [, flag] = /^error: unknown option '--([^']*)'/.exec(error) ?? [];
  if (flag === undefined) return error;
  const nearest = nearestName(flag.split("=")[0] ?? "", options);
  return `error: unknown option '--${flag}'${nearest === undefined ? "" : ` (Did you mean --${nearest}?)`}`;
}

/** Every help text ends with calls that work. */
function withExamples(command: Command, examples: readonly string[], words = ""): Command {
  const lines = examples.map((example) => `  partner-programs ${`${words}${example}`.trimEnd()}\n`);
  return command.addHelpText("after", `\nExamples:\n${lines.join("")}`.trimEnd());
}

/** Adds `help snapshot explain`; commander's own `help` takes only one word. */
function addHelpCommand(parent: Command): void {
  const help = new Command("help")
    .description("show the help of a command")
    .argument("[command...]", "the words of the command")
    .action((words: readonly string[]) => {
      let named = parent;
      for (const word of words) named = named.commands.find((child) => child.name() === word) ?? named;
      named.help();
    });
  parent.helpCommand(false).addCommand(help.copyInheritedSettings(parent));
}

const helpWords: ReadonlySet<string> = new Set(["help", "--help", "-h"]);

/** How help texts differ from commander's own: they mark required options and arguments. */
const helpFormat: HelpConfiguration = {
  // Descriptions are wrapped even into a column this narrow. With commander's own bound, lines overflow a
  // terminal of 60 columns.
  minWidthToWrap: 24,
  // Only the name, because the other commands of a list are not loaded and have no options to show.
  subcommandTerm: (command: Command) => command.name(),
  commandUsage(command: Command): string {
    const path = commandPath(command);
    const required = command.options.filter(isRequired).map(({ flags }) => ` ${flags}`);
    const others = command.usage().replace("[options]", `[options]${required.join("")}`);
    return `${path} ${others}`;
  },
  optionDescription(option: Option): string {
    return marked(Help.prototype.optionDescription.call(plain, option), isRequired(option));
  },
  argumentDescription(argument: Argument): string {
    return marked(Help.prototype.argumentDescription.call(plain, argument), argument.required);
  },
};

/** The words that call the command, the program's name first. */
function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}

/** `command` marks the options that must be given, whatever module this one loads. */
function isRequired(option: Option & { readonly isRequired?: boolean }): boolean {
  return option.isRequired === true;
}

function marked(text: string, isRequiredHere: boolean): string {
  return isRequiredHere ? `${text} (required)` : text;
}

const plain = new Help();
