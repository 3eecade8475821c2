#!/usr/bin/env node
import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { CommanderError } from "commander";
import { asFailure } from "../core/failure.ts";
import { packageVersion } from "../core/package-version.ts";
import { type ExitStatus, exitStatusOf } from "./exit-status.ts";
import { createProgram } from "./program.ts";
import type { Output, Shell } from "./shell.ts";
import { tokenFreeOutput } from "./token-free-output.ts";

// The SDK warns of Node.js 20 in several lines on standard error; which versions we support is for package.json to say.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<ExitStatus> {
  const interruption = new AbortController();
  // Every call in flight listens; Node.js would take more than ten for a leak and say so on standard error.
  setMaxListeners(0, interruption.signal);
  const interrupt = (): void => {
    // A second signal ends a process that is stuck.
    if (interruption.signal.aborted) process.exit(130);
    interruption.abort();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  // `partner-programs ... | head` closes our output early; that is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  // Nobody is left to be told of it.
  process.stderr.on("error", () => {});

  let status: ExitStatus = 0;
  const shell: Shell = {
    env: process.env,
    stdout: output(process.stdout),
    stderr: tokenFreeOutput(output(process.stderr)),
    stdin: process.stdin,
    now: () => new Date(),
    randomBytes,
    signal: interruption.signal,
    finish: (finished) => {
      status = finished;
    },
  };
  try {
    await createProgram(shell, packageVersion()).parseAsync(args, { from: "user" });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const failure = asFailure(error);
    shell.stderr.write(`partner-programs: ${failure.message}\n`);
    // What nobody expected is a defect: its trace helps whoever mends it.
    if (failure.code === "internal" && failure.cause instanceof Error) {
      shell.stderr.write(`${failure.cause.stack ?? ""}\n`);
    }
    return exitStatusOf(failure.code);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

function output(stream: NodeJS.WriteStream): Output {
  return {
    write: (chunk) => {
      stream.write(chunk);
    },
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns ?? 80;
    },
  };
}
