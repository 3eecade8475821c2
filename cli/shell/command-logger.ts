import { createLogger, type Logger } from "../../core/process/logger.ts";
import type { CliSettings, Shell } from "./shell.ts";

/**
 * The log of a command: JSON lines on standard error, for programs that collect logs. On a terminal a person
 * reads messages and a progress bar, so only warnings are logged there, unless `LOG_LEVEL` asks for more.
 * `isOfTeam`: visits of a team, which are always logged (P66).
 */
export function commandLogger(shell: Shell, { logLevel }: CliSettings, isOfTeam = false): Logger {
  const level = isOfTeam ? "info" : isReadByPeople(shell) ? "warn" : logLevel;
  return createLogger({ level, program: "partner-programs", destination: shell.stderr });
}

/** Whether standard error is a person's terminal, and the person has not asked for a log. */
export function isReadByPeople({ stderr, env }: Pick<Shell, "stderr" | "env">): boolean {
  return stderr.isTTY && env.LOG_LEVEL === undefined;
}
