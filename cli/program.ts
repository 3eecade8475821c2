import { Command } from "commander";
import { singleLine } from "../core/printable.ts";
import { type CommandEntry, commandGroups, commandTable, programExamples } from "./commands/command-table.ts";
import { helpFormat } from "./output/help-format.ts";
import type { Shell } from "./shell/shell.ts";

/**
 * The command line. `args` are the arguments of a call: only the command that they name is loaded. The other commands have
 * just a name and a description, which is all that a help text shows of them. Without `args` all commands are loaded.
 */
export async function createProgram(
  shell: Shell,
  version: string,
  args?: readonly string[],
): Promise<Command> {
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
      // Errors quote the arguments. Each error is kept to one line, so that no argument can forge another line.
      outputError: (text, write) => write(`${singleLine(text.trimEnd())}\n`),
    })
    .exitOverride();
  withExamples(program, programExamples);
  const parents = new Map<string | undefined, Command>([[undefined, program]]);
  for (const [name, { description, examples }] of Object.entries(commandGroups)) {
    parents.set(name, withExamples(program.command(name).description(description), examples));
  }
  const unknown = args?.some((arg) => helpWords.has(arg)) ? unknownWord(args) : undefined;
  if (unknown !== undefined) program.error(`error: unknown command '${unknown}'`);
  for (const entry of commandTable) {
    const isWanted = args === undefined || isNamed(entry, args);
    const command = isWanted ? (await entry.load())(shell) : new Command();
    const parent = parents.get(entry.group) ?? program;
    command.name(entry.name).description(entry.description);
    withExamples(command, entry.examples);
    // `addCommand` does not pass on our outputs and our way to end, so they are copied.
    parent.addCommand(command.copyInheritedSettings(parent));
  }
  for (const parent of parents.values()) addHelpCommand(parent);
  return program;
}

/** Every help text ends with calls that work (P83). */
function withExamples(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  partner-programs ${example}\n`);
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

/** Whether a call names this command. */
function isNamed({ group, name }: CommandEntry, args: readonly string[]): boolean {
  const words = commandWords(args);
  return group === undefined ? words[0] === name : words[0] === group && words[1] === name;
}

/**
 * The word of a call for help that names no command. Commander would show the help of the group, or of the program, as if that
 * had been asked for. It refuses other calls of unknown commands itself.
 */
function unknownWord(args: readonly string[]): string | undefined {
  const [first, second] = commandWords(args);
  const names = commandTable.flatMap(({ group, name }) => (group === undefined ? name : []));
  if (first === undefined || names.includes(first)) return undefined;
  if (commandGroups[first] === undefined) return first;
  return commandTable.some(({ group, name }) => group === first && name === second) ? undefined : second;
}

/** The words of a call, without its options and the word `help`. */
function commandWords(args: readonly string[]): readonly string[] {
  return args.filter((word) => !word.startsWith("-") && word !== "help");
}

const helpWords: ReadonlySet<string> = new Set(["help", "--help", "-h"]);
