import { asFailure, type FailureCode } from "../../core/ground/failure.ts";
import { singleLine } from "../../core/ground/printable.ts";

/** The exit status of the process; docs/commands.md explains each. */
export type ExitStatus = 0 | 1 | 2 | 3 | 4 | 130;

export const exitStatuses: Readonly<Record<FailureCode, ExitStatus>> = {
  usage: 2,
  settings: 2,
  source_unavailable: 1,
  source_contract: 1,
  foreign_database: 4,
  invalid_program: 1,
  tenant_too_large: 1,
  store_unavailable: 1,
  store_unreachable: 1,
  store_denied: 1,
  store_unsupported: 4,
  corrupt_document: 1,
  no_share: 1,
  not_found: 1,
  superseded: 1,
  shrink_guard: 4,
  field_guard: 4,
  scale_guard: 4,
  shared_guard: 4,
  vanished_guard: 4,
  held: 4,
  in_source: 4,
  unrecorded: 1,
  busy: 1,
  interrupted: 130,
  internal: 1,
};

/**
 * The text that standard error gets for something that was thrown. An unexpected error is a defect, so its
 * stack trace is added for the developer. Each line of the trace is indented, so that it cannot pass for a
 * message of the program.
 */
export function failureText(thrown: unknown): string {
  const { code, message, cause } = asFailure(thrown);
  const stack = code === "internal" && cause instanceof Error ? (cause.stack ?? "") : "";
  const trace = stack === "" ? [] : stack.split("\n").map((line) => `    ${singleLine(line.trim())}`);
  return [`partner-programs: ${message}`, ...trace].map((line) => `${line}\n`).join("");
}
