import { createLogger, type Logger } from "../../core/logger.ts";
import type { CliSettings, Shell } from "./shell.ts";

/**
 * The log of a command: JSON lines on standard error, for programs that collect logs. On a terminal a person reads messages and a
 * progress bar instead, unless `LOG_LEVEL` asks for the log.
 */
export function commandLogger(shell: Shell, settings: CliSettings): Logger {
  const isWanted = !shell.stderr.isTTY || shell.env.LOG_LEVEL !== undefined;
  return createLogger({
    level: isWanted ? settings.logLevel : "silent",
    program: "partner-programs",
    destination: shell.stderr,
  });
}
