import { commandGroups, commandTable } from "../../cli/commands/command-table.ts";

/** The words that call each command and group of commands; `[]` is the program itself. */
export function commandPaths(): (readonly string[])[] {
  const commands = Object.keys(commandTable).map((words) => words.split(" "));
  return [[], ...Object.keys(commandGroups).map((name) => [name]), ...commands];
}
