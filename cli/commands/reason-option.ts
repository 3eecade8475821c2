import { InvalidArgumentError, Option } from "commander";
import { singleLine } from "../../core/printable.ts";
import { tokenFree } from "../shell/token-free.ts";

/** `--reason`, of every command that leaves a record below `audit/`. */
export function reasonOption(): Option {
  return new Option("--reason <text>", "why, for the audit").argParser(reason);
}

export interface ReasonFlag {
  readonly reason?: string;
}

function reason(value: string): string {
  const isPlain = singleLine(value) === value && tokenFree(value) === value;
  if (value.trim() !== "" && value.length <= 500 && isPlain) return value;
  throw new InvalidArgumentError(
    "Expected 1 to 500 characters on one line. Control characters and plaintexts of tokens are not taken.",
  );
}
