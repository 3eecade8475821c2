import type { Command } from "commander";
import { isSnapshotId, isTenantId } from "../../core/ids.ts";
import { nearestName } from "../shell/nearest-name.ts";
import { commandGroups, commandTable } from "./command-table.ts";

/** The error for a call that names no command, with the command that was probably meant. `undefined` when it names one. */
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

/** The error with the first guess, and with the commands that have the same name in other groups. */
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

/** The commands of any group that have this name, for a call that left out the group or named a wrong one. */
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

/**
 * Makes errors about excess arguments and missing options suggest the option that a bare word belongs to: `--tenant acme` for
 * `snapshot status acme`.
 */
export function hintAtOptions(command: Command): void {
  const error = command.error.bind(command);
  command.error = (message, options) => {
    const hint = codes.has(options?.code ?? "") ? optionsMeant(command) : "";
    return error(hint === "" ? message : `${message} (Did you mean ${hint}?)`, options);
  };
}

const codes: ReadonlySet<string> = new Set([
  "commander.excessArguments",
  "commander.missingMandatoryOptionValue",
]);

/** The bare words of the call, each behind the option that it probably belongs to. Empty when a word fits none. */
function optionsMeant(command: Command): string {
  const left = ["--tenant", "--program"].flatMap(
    (name) => command.options.find(({ long }) => long === name) ?? [],
  );
  const unset = left.filter((option) => command.getOptionValue(option.attributeName()) === undefined);
  const words = command.args.filter((word) => !isSnapshotId(word));
  if (words.length > unset.length || !words.every(isTenantId)) return "";
  return words.map((word, at) => `${unset[at]?.long} ${word}`).join(" ");
}
