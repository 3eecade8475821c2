import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { CommanderError } from "commander";
import { safeOutput } from "../../cli/output/safe-output.ts";
import { createProgram } from "../../cli/program.ts";
import { type ExitStatus, exitStatuses, failureText } from "../../cli/shell/exit-status.ts";
import type { Output, Shell } from "../../cli/shell/shell.ts";
import { asFailure } from "../../core/ground/failure.ts";
import { nowhere } from "./run-cli.ts";

/** What a command left behind. */
export interface CommandResult {
  readonly status: ExitStatus;
  readonly stdout: string;
  /** The same as it was written, byte by byte. */
  readonly stdoutBytes: Buffer;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly now?: Date;
  readonly randomBytes?: Shell["randomBytes"];
  readonly stdin?: string | Uint8Array;
  /** A terminal of so many columns instead of a pipe. */
  readonly columns?: number;
  /** The same for standard error. */
  readonly errorColumns?: number;
  /** Without the net below all output: what the commands themselves make of foreign text. */
  readonly isBare?: boolean;
  /** A defect ends the test unless it is to be `shown` as `main.ts` shows it. */
  readonly internal?: "thrown" | "shown";
  readonly signal?: AbortSignal;
  /** Called with what is written to standard output, for commands that don't end by themselves. */
  readonly onOutput?: (text: string) => void;
}

/**
 * Runs the command line in this process, on a shell of its own: everything but the process around it is real.
 */
export async function runCommand(
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let status: ExitStatus = 0;
  const net = options.isBare === true ? (output: Output) => output : safeOutput;
  const shell: Shell = {
    env: { DATA_DIR: nowhere, ...options.env },
    stdout: net(collecting(out, options.columns, options.onOutput)),
    stderr: net(collecting(err, options.errorColumns)),
    stdin: Readable.from([Buffer.from(options.stdin ?? "")]),
    actor: { user: "ada", host: "desk" },
    now: () => options.now ?? new Date(),
    randomBytes: options.randomBytes ?? randomBytes,
    signal: options.signal ?? new AbortController().signal,
    finish: (finished) => (status = finished),
  };
  try {
    const program = await createProgram(shell, "0.0.0-test", args);
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) status = error.exitCode === 0 ? 0 : 2;
    else {
      const failure = asFailure(error);
      if (failure.code === "internal" && options.internal !== "shown") throw error;
      shell.stderr.write(failureText(error));
      status = exitStatuses[failure.code];
    }
  }
  const stdoutBytes = Buffer.concat(out);
  return { status, stdout: stdoutBytes.toString(), stdoutBytes, stderr: Buffer.concat(err).toString() };
}

function collecting(chunks: Buffer[], columns?: number, onOutput?: (text: string) => void): Output {
  return {
    write: (chunk) => {
      chunks.push(Buffer.from(chunk));
      onOutput?.(Buffer.from(chunk).toString());
    },
    isTTY: columns !== undefined,
    columns: columns ?? 80,
  };
}
