import { Option } from "commander";
import { Failure } from "../../core/failure.ts";
import type { LogSource } from "../operate/gateway-log/open-log.ts";
import type { CliSettings, Shell } from "../shell/shell.ts";

/** `--log FILE`. It may be repeated, because a log that was rotated is several files. */
export function logOption(
  purpose = "may be repeated (required unless PARTNER_PROGRAMS_LOG names one)",
): Option {
  return new Option(
    "--log <file>",
    `the gateway's log; - is standard input; .gz is read as it is; ${purpose}`,
  ).argParser((name: string, previous: readonly string[] | undefined) => [...(previous ?? []), name]);
}

/** The logs that `--log` names; without `--log`, the one that `PARTNER_PROGRAMS_LOG` names, if it is set. */
export function namedLogs(
  shell: Shell,
  { logFile }: CliSettings,
  named: readonly string[] | undefined,
): readonly LogSource[] {
  const names = named ?? (logFile === undefined ? [] : [logFile]);
  return names.map((name) => ({ name, stdin: shell.stdin }));
}

/** Like `namedLogs`, but throws `usage` when no log is named. */
export function logSources(
  shell: Shell,
  settings: CliSettings,
  named: readonly string[] | undefined,
): readonly LogSource[] {
  const sources = namedLogs(shell, settings, named);
  if (sources.length > 0) return sources;
  throw new Failure("usage", "Which log? Pass --log FILE, or set PARTNER_PROGRAMS_LOG.");
}
