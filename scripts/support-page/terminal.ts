import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { failureText } from "../../cli/output/failure-text.ts";
import { safeOutput } from "../../cli/output/safe-output.ts";
import { createProgram } from "../../cli/program.ts";
import { exitStatuses } from "../../cli/shell/exit-status.ts";
import type { Output, Shell } from "../../cli/shell/shell.ts";
import { asFailure } from "../../core/failure.ts";
import { packageVersion } from "../../core/package-version.ts";

/** What a command printed, both streams as a terminal would show them. */
export interface CommandOutput {
  readonly status: number;
  readonly stdout: string;
  readonly shown: string;
}

/** A command line whose clock and randomness are given, so that the same commands print the same on every machine. */
export interface Terminal {
  /** Sets the clock, RFC 3339. */
  at(time: string): void;
  now(): Date;
  run(args: readonly string[]): Promise<CommandOutput>;
}

export function createTerminal(env: Readonly<Record<string, string>>): Terminal {
  let time = new Date(0);
  let drawn = 0;

  function randomBytes(size: number): Uint8Array {
    drawn += 1;
    const seed = createHash("sha512").update(`support page ${drawn}`).digest();
    return Buffer.concat(Array.from({ length: Math.ceil(size / seed.length) }, () => seed)).subarray(0, size);
  }

  return {
    at(rfc3339) {
      time = new Date(rfc3339);
    },
    now: () => time,
    async run(args) {
      let status = 0;
      const [stdout, shown] = [[] as string[], [] as string[]];
      const shell: Shell = {
        env,
        stdout: safeOutput(output((text) => stdout.push(text) + shown.push(text))),
        stderr: safeOutput(output((text) => shown.push(text))),
        stdin: Readable.from([]),
        actor: { user: "support", host: "desk" },
        now: () => time,
        randomBytes,
        signal: new AbortController().signal,
        finish: (finished) => {
          status = finished;
        },
      };
      try {
        const program = await createProgram(shell, packageVersion(), args);
        await program.parseAsync(args, { from: "user" });
      } catch (error) {
        const failure = asFailure(error);
        if (failure.code === "internal") throw error;
        shell.stderr.write(failureText(failure));
        status = exitStatuses[failure.code];
      }
      return { status, stdout: stdout.join(""), shown: shown.join("") };
    },
  };
}

function output(write: (text: string) => void): Output {
  return { write: (chunk) => write(Buffer.from(chunk).toString()), isTTY: false, columns: 100 };
}
