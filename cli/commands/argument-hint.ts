import type { Command } from "commander";
import { isSnapshotId, isTenantId } from "../../core/ids.ts";

/**
 * Makes errors about what is too much or missing name the option that was left out before a bare word: for
 * `snapshot status acme` it is `--tenant acme`.
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

/** The bare words of the call behind the options that they belong to, as far as that is likely. */
function optionsMeant(command: Command): string {
  const left = ["--tenant", "--program"].flatMap(
    (name) => command.options.find(({ long }) => long === name) ?? [],
  );
  const unset = left.filter((option) => command.getOptionValue(option.attributeName()) === undefined);
  const words = command.args.filter((word) => !isSnapshotId(word));
  if (words.length > unset.length || !words.every(isTenantId)) return "";
  return words.map((word, at) => `${unset[at]?.long} ${word}`).join(" ");
}
