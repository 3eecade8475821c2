import { commandGroups, commandTable } from "../../cli/commands/command-table.ts";

/** The words that call each command and group of commands; `[]` is the program itself. */
export function commandPaths(): (readonly string[])[] {
  const commands = commandTable.map(({ group, name }) => (group === undefined ? [name] : [group, name]));
  return [[], ...Object.keys(commandGroups).map((name) => [name]), ...commands];
}
