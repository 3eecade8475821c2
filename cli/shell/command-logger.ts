import { createLogger, type Logger } from "../../core/logger.ts";
import type { CliSettings, Shell } from "./shell.ts";

/**
 * The log of a command: JSON lines on standard error, for programs that collect logs. On a terminal a person reads messages and a
 * progress bar, so only warnings are logged there, unless `LOG_LEVEL` asks for more. `isOfTeam`: visits of a team, which are always
 * logged (P66).
 */
export function commandLogger(shell: Shell, { logLevel }: CliSettings, isOfTeam = false): Logger {
  const isForPeople = shell.stderr.isTTY && shell.env.LOG_LEVEL === undefined;
  const level = isOfTeam ? "info" : isForPeople ? "warn" : logLevel;
  return createLogger({ level, program: "partner-programs", destination: shell.stderr });
}
