import type { Output } from "./shell.ts";

/**
 * The output without plaintexts of tokens. Somebody may paste one where an id belongs, and an error that repeats what was
 * typed would carry it into the log of whatever ran the command.
 */
export function tokenFreeOutput(output: Output): Output {
  return {
    write: (chunk) => output.write(typeof chunk === "string" ? chunk.replace(token, "ppr_…") : chunk),
    isTTY: output.isTTY,
    get columns() {
      return output.columns;
    },
  };
}

/** Also one that was cut off or mistyped. */
const token = /ppr_[0-9A-Za-z]{16,}/g;
