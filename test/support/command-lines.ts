import type { Command } from "commander";
import { CommanderError } from "commander";
import { createProgram } from "../../cli/program.ts";
import { quietShell } from "./quiet-shell.ts";

/**
 * The arguments of every call of the program in a script: of `partner-programs`, however it is reached.
 * Comments, pipes, redirections and quotes are read as a shell would; what only a shell can know (`$TENANT`)
 * becomes a word, and the placeholder `N` a number.
 */
export function callsIn(script: string, program: string): readonly (readonly string[])[] {
  const joined = script.replace(/\\\n\s*/g, " ");
  return joined.split("\n").flatMap((line) =>
    simpleCommands(line).flatMap((words) => {
      const command = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
      const at = command.findIndex((word) => word === program || word.endsWith(`/${program}`));
      return at === 0 || (at > 0 && starters.test(command[0] ?? "")) ? [command.slice(at + 1)] : [];
    }),
  );
}

/** What runs the program that is named after it. */
const starters = /^(npx|docker|kubectl)$/;

/** Why the real command line would refuse the arguments; `undefined` when it takes them. Nothing is run. */
export async function usageFault(args: readonly string[]): Promise<string | undefined> {
  const messages: string[] = [];
  const program = await createProgram(quietShell(messages), "0.0.0");
  withoutEffect(program);
  try {
    await program.parseAsync(args, { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? undefined : messages.join("").trim() || error.message;
  }
}

/** The command that words such as `snapshot build` name, if they do. */
export function commandNamed(words: readonly string[]): Command | undefined {
  let command: Command | undefined = wholeProgram;
  for (const word of words) command = command?.commands.find((child) => child.name() === word);
  return command;
}

function withoutEffect(command: Command): void {
  if (command.commands.length === 0) command.action(() => {});
  command.commands.forEach(withoutEffect);
}

/** A line's commands, split at `|`, `;` and `&&`, each into words up to a redirection. */
function simpleCommands(line: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]];
  let isRedirected = false;
  for (const [token] of line.matchAll(/"[^"]*"|'[^']*'|\$\([^)]*\)|&&|[|;<>]+|[^\s|;<>"'&]+|&/g)) {
    if (token.startsWith("#")) break;
    if (/^(&{1,2}|[|;]+)$/.test(token)) {
      commands.push([]);
      isRedirected = false;
    } else if (/^[<>]+$/.test(token)) isRedirected = true;
    else if (!isRedirected) commands.at(-1)?.push(word(token));
  }
  return commands;
}

function word(token: string): string {
  if (token === "N") return "1";
  return token.replace(/^(["'])(.*)\1$/, "$2").replace(/\$(\w+|\{\w+\}|\(.*\))/g, "x");
}

const wholeProgram = await createProgram(quietShell(), "0.0.0");
