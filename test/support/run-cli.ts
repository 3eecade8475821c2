import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { outputOf } from "./run-to-end.ts";

/** The built program, as a user starts it. */
const cliPath = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/**
 * The `DATA_DIR` of a command that is given none: nothing is there, and nothing can be made. With the
 * checkout's own `data/` a test would depend on what a demo or another test published into it.
 */
export const nowhere = "/proc/no-data";

export interface CliOptions {
  /**
   * All of the environment, but for `PATH`, `HOME` and `TMPDIR`, which are inherited unless named here, and
   * `DATA_DIR` (`nowhere`).
   */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

export interface CliResult {
  /** `null` when a signal ended the process. */
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<CliResult>;
}

/** Starts `partner-programs` in a process of its own. */
export function startCli(args: readonly string[], options: CliOptions = {}): CliProcess {
  const { PATH, HOME, TMPDIR } = process.env;
  const env = { PATH, HOME, TMPDIR, DATA_DIR: nowhere, ...options.env };
  const child = spawn(process.execPath, [cliPath, ...args], { env, cwd: options.cwd });
  const all = outputOf(child);
  // A process that ends without reading its input breaks the pipe, which is its right.
  child.stdin.on("error", () => {});
  child.stdin.end(options.stdin ?? "");
  const ended = once(child, "close").then(([status, signal]) => ({ status, signal, ...all }));
  return { child, ended };
}

/** Runs `partner-programs` to its end. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return startCli(args, options).ended;
}
