import { Option } from "commander";
import { storedLine } from "./option-values.ts";

/** `--reason`, an option of every command that leaves a record below `audit/`. */
export function reasonOption(): Option {
  return new Option("--reason <text>", "why, for the audit").argParser(storedLine(500));
}

export interface ReasonFlag {
  readonly reason?: string;
}

/** The flags of a command that changes something for partners, beside its own. */
export interface ChangeFlags extends ReasonFlag {
  readonly json: boolean;
}
