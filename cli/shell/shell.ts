import { cliSettings } from "../../core/cli-settings.ts";
import { Failure } from "../../core/failure.ts";
import { createLogger, type Logger } from "../../core/logger.ts";
import { printableJson } from "../../core/printable.ts";
import { parseSettings, type SettingValues } from "../../core/setting-parser.ts";
import type { ExitStatus } from "./exit-status.ts";

/** A stream that people or programs read. What is written to it passes `safeOutput`. */
export interface Output {
  /**
   * Text for people or JSON for programs; bytes are for programs and reach them as they are. `issued` are the
   * plaintexts of tokens that may stand in the text.
   */
  write(chunk: string | Uint8Array, issued?: readonly string[]): void;
  readonly isTTY: boolean;
  /** Width in characters; 80 when it is not a terminal. */
  readonly columns: number;
}

/** Who runs a command: the user of the operating system, and the host. */
export interface Actor {
  readonly user: string;
  readonly host: string;
}

/** Everything that a command may touch of the process it runs in: `main.ts` makes it, tests make their own. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results, and nothing else. */
  readonly stdout: Output;
  /** Messages and progress. */
  readonly stderr: Output;
  /** Standard input, for commands that take `-` as a file. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** For the audit. */
  readonly actor: Actor;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Aborted by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  /** Sets the exit status that the process will end with. */
  readonly finish: (status: ExitStatus) => void;
}

export type CliSettings = SettingValues<typeof cliSettings>;

/** The settings of the environment; throws `settings` with every fault at once. */
export function settingsOf(shell: Shell): CliSettings {
  const parsed = parseSettings(cliSettings, shell.env);
  if (parsed.ok) return parsed.values;
  throw new Failure("settings", [
    "Settings (environment variables) are wrong:",
    ...parsed.faults.map((fault) => `  ${fault}`),
  ]);
}

/** The form of a commander action whose result is the exit status. */
export function action<Args extends readonly unknown[]>(
  shell: Shell,
  run: (...args: Args) => Promise<ExitStatus>,
): (...args: Args) => Promise<void> {
  return async (...args) => {
    shell.finish(await run(...args));
  };
}

/** Prints a result for programs; `issued` are the plaintexts of tokens that may stand in it. */
export function printJson(shell: Shell, value: unknown, issued?: readonly string[]): void {
  shell.stdout.write(`${printableJson(value)}\n`, issued);
}

/**
 * The log of a command: JSON lines on standard error, for whatever collects them. On a terminal a person reads
 * messages and a progress bar instead, unless `LOG_LEVEL` asks for the log.
 */
export function commandLogger(shell: Shell, settings: CliSettings): Logger {
  const isWanted = !shell.stderr.isTTY || shell.env.LOG_LEVEL !== undefined;
  return createLogger({
    level: isWanted ? settings.logLevel : "silent",
    program: "partner-programs",
    destination: shell.stderr,
  });
}
