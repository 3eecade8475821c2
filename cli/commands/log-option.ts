import { Option } from "commander";
import type { LogSource } from "../gateway-log/open-log.ts";
import type { Shell } from "../shell/shell.ts";

/** `--log FILE`, which may be given several times: a log and what it was rotated to. */
export function logOption(): Option {
  return new Option(
    "--log <file>",
    "the gateway's log; - is standard input; .gz, .zst and .br are read as they are",
  )
    .argParser((name: string, previous: readonly string[] | undefined) => [...(previous ?? []), name])
    .makeOptionMandatory();
}

export function logSources(shell: Shell, names: readonly string[]): readonly LogSource[] {
  return names.map((name) => ({ name, stdin: shell.stdin }));
}
