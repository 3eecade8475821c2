import { Option } from "commander";
import { Failure } from "../../core/failure.ts";
import type { LogSource } from "../operate/gateway-log/open-log.ts";
import type { CliSettings, Shell } from "../shell/shell.ts";

/** `--log FILE`, which may be given several times: a log and what it was rotated to. */
export function logOption(
  purpose = "may be repeated (required unless PARTNER_PROGRAMS_LOG names one)",
): Option {
  return new Option(
    "--log <file>",
    `the gateway's log; - is standard input; .gz, .zst and .br are read as they are; ${purpose}`,
  ).argParser((name: string, previous: readonly string[] | undefined) => [...(previous ?? []), name]);
}

/** The logs of `--log`, else the one of `PARTNER_PROGRAMS_LOG`, else none. */
export function namedLogs(
  shell: Shell,
  { logFile }: CliSettings,
  named: readonly string[] | undefined,
): readonly LogSource[] {
  const names = named ?? (logFile === undefined ? [] : [logFile]);
  return names.map((name) => ({ name, stdin: shell.stdin }));
}

/** The same; throws `usage` when neither names one. */
export function logSources(
  shell: Shell,
  settings: CliSettings,
  named: readonly string[] | undefined,
): readonly LogSource[] {
  const sources = namedLogs(shell, settings, named);
  if (sources.length > 0) return sources;
  throw new Failure("usage", "Which log? Pass --log FILE, or set PARTNER_PROGRAMS_LOG.");
}
