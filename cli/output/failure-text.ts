import { asFailure } from "../../core/failure.ts";
import { singleLine } from "../../core/printable.ts";

/**
 * The text that standard error gets for something that was thrown. An unexpected error is a defect, so its stack trace is
 * added for the developer. Each line of the trace is indented, so that it cannot pass for a message of the program.
 */
export function failureText(thrown: unknown): string {
  const { code, message, cause } = asFailure(thrown);
  const stack = code === "internal" && cause instanceof Error ? (cause.stack ?? "") : "";
  const trace = stack === "" ? [] : stack.split("\n").map((line) => `    ${singleLine(line.trim())}`);
  return [`partner-programs: ${message}`, ...trace].map((line) => `${line}\n`).join("");
}
