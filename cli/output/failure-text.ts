import { asFailure } from "../../core/failure.ts";
import { singleLine } from "../../core/printable.ts";

/**
 * What standard error says of whatever was thrown. What nobody expected is a defect: its trace helps whoever mends it. The
 * trace is indented line by line, so that none of it passes for a line of the program.
 */
export function failureText(thrown: unknown): string {
  const { code, message, cause } = asFailure(thrown);
  const stack = code === "internal" && cause instanceof Error ? (cause.stack ?? "") : "";
  const trace = stack === "" ? [] : stack.split("\n").map((line) => `    ${singleLine(line.trim())}`);
  return [`partner-programs: ${message}`, ...trace].map((line) => `${line}\n`).join("");
}
