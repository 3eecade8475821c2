import { Command } from "commander";
import { singleLine } from "../core/printable.ts";
import { type CommandEntry, commandGroups, commandTable } from "./command-table.ts";
import type { Shell } from "./shell/shell.ts";

/**
 * The command line. With the arguments of a call only the command that they name is whole; of the others stand name and
 * description, which is all that a help text shows of them. Without arguments all are.
 */
export async function createProgram(
  shell: Shell,
  version: string,
  args?: readonly string[],
): Promise<Command> {
  const program = new Command("partner-programs")
    .description("Publishes tour programs to partners as precomputed snapshots.")
    .version(version)
    // A list of commands looks the same whether a command is whole or not.
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError("(--help shows what is possible)")
    .configureOutput({
      writeOut: (text) => shell.stdout.write(text),
      writeErr: (text) => shell.stderr.write(text),
      // Errors quote the arguments; one line each keeps an argument from forging the next.
      outputError: (text, write) => write(`${singleLine(text.trimEnd())}\n`),
    })
    .exitOverride();
  const parents = new Map<string | undefined, Command>([[undefined, program]]);
  for (const [name, description] of Object.entries(commandGroups)) {
    parents.set(name, program.command(name).description(description));
  }
  for (const entry of commandTable) {
    const isWanted = args === undefined || isNamed(entry, args);
    const command = isWanted ? (await entry.load())(shell) : new Command();
    const parent = parents.get(entry.group) ?? program;
    command.name(entry.name).description(entry.description);
    // A command made elsewhere does not know our outputs and our way to end.
    parent.addCommand(command.copyInheritedSettings(parent));
  }
  return program;
}

/** Whether the words of a call, options and `help` apart, begin with the command's. */
function isNamed({ group, name }: CommandEntry, args: readonly string[]): boolean {
  const words = args.filter((word) => !word.startsWith("-") && word !== "help");
  return group === undefined ? words[0] === name : words[0] === group && words[1] === name;
}
