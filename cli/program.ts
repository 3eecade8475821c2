import { Command } from "commander";
import { singleLine } from "../core/printable.ts";
import { commandExamples } from "./commands/command-examples.ts";
import { type CommandEntry, commandGroups, commandTable } from "./commands/command-table.ts";
import { hintAtOptions, unknownCommand } from "./commands/meant-call.ts";
import { helpFormat } from "./output/help-format.ts";
import type { Shell } from "./shell/shell.ts";

/**
 * The command line. `args` are the arguments of a call: only the command that they name is loaded. The other commands have
 * just a name and a description, which is all that a help text shows of them. Without `args` all commands are loaded.
 * Throws `CommanderError`, which suggests the nearest command, when the arguments name none.
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
  withExamples(program, "");
  const parents = new Map<string | undefined, Command>([[undefined, program]]);
  for (const [name, description] of Object.entries(commandGroups)) {
    parents.set(name, withExamples(program.command(name).description(description), name));
  }
  const fault = args && unknownCommand(args);
  if (fault !== undefined) program.error(fault);
  for (const entry of commandTable) {
    const isWanted = args === undefined || isNamed(entry, args) || needsAll(args);
    const command = isWanted ? (await entry.load())(shell) : new Command();
    const parent = parents.get(entry.group) ?? program;
    command.name(entry.name).description(entry.description);
    withExamples(command, entry.group === undefined ? entry.name : `${entry.group} ${entry.name}`);
    hintAtOptions(command);
    // `addCommand` does not pass on our outputs and our way to end, so they are copied.
    parent.addCommand(command.copyInheritedSettings(parent));
  }
  for (const parent of parents.values()) addHelpCommand(parent);
  return program;
}

/** Every help text ends with calls that work (P83). */
function withExamples(command: Command, path: string): Command {
  const lines = (commandExamples[path] ?? []).map((example) => `  partner-programs ${example}\n`);
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

/** Whether a call names this command. Options and the word `help` are ignored. */
function isNamed({ group, name }: CommandEntry, args: readonly string[]): boolean {
  const words = args.filter((word) => !word.startsWith("-") && word !== "help");
  return group === undefined ? words[0] === name : words[0] === group && words[1] === name;
}

/** The scripts for shell completion list every command and option. */
function needsAll(args: readonly string[]): boolean {
  return args[0] === "completion" && !args.some((arg) => arg === "--help" || arg === "-h");
}
