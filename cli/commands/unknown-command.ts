import { nearestName } from "../shell/nearest-name.ts";
import { commandGroups, commandTable } from "./command-table.ts";

/** Why the words of a call name no command, and which one they most likely mean; `undefined` when they name one. */
export function unknownCommand(args: readonly string[]): string | undefined {
  const firstOption = args.findIndex((arg) => arg.startsWith("-"));
  const words = (firstOption < 0 ? args : args.slice(0, firstOption)).filter((word) => word !== "help");
  const [first, second] = words;
  if (first === undefined) return undefined;
  const top = [...Object.keys(commandGroups), ...namesIn(undefined)];
  if (!top.includes(first)) {
    return fault(first, [...called(first), nearestName(first, top), ...nearlyCalled(first)]);
  }
  if (second === undefined || commandGroups[first] === undefined) return undefined;
  const names = namesIn(first);
  if (names.includes(second)) return undefined;
  const near = nearestName(second, names);
  return fault(`${first} ${second}`, [near && `${first} ${near}`, ...called(second)]);
}

/** The first guess; of commands that have the very name in several groups all. */
function fault(words: string, guesses: readonly (string | undefined)[]): string {
  const [guess, ...others] = guesses.filter((candidate) => candidate !== undefined);
  const hint =
    guess === undefined
      ? ""
      : ` (Did you mean ${[...new Set([guess, ...sameName(guess, others)])].join(" or ")}?)`;
  return `error: unknown command '${words}'${hint}`;
}

function sameName(guess: string, others: readonly string[]): readonly string[] {
  return others.filter((other) => other !== guess && other.split(" ")[1] === guess.split(" ")[1]);
}

/** The commands of groups that have this name: somebody left out the group, or took another. */
function called(name: string): readonly string[] {
  return commandTable.flatMap((entry) =>
    entry.group !== undefined && entry.name === name.toLowerCase() ? [`${entry.group} ${entry.name}`] : [],
  );
}

function nearlyCalled(name: string): readonly string[] {
  const near = nearestName(
    name,
    commandTable.map((entry) => entry.name),
  );
  return near === undefined ? [] : called(near);
}

function namesIn(group: string | undefined): readonly string[] {
  return commandTable.filter((entry) => entry.group === group).map(({ name }) => name);
}
