#!/usr/bin/env node
import { randomBytes } from "node:crypto";
import { setMaxListeners } from "node:events";
import { hostname, userInfo } from "node:os";
import { CommanderError } from "commander";
import { asFailure } from "../core/ground/failure.ts";
import { printableJson, singleLine } from "../core/ground/printable.ts";
import { buildInfo, packageVersion } from "../core/process/package-version.ts";
import { safeOutput } from "./output/safe-output.ts";
import { createProgram } from "./program.ts";
import { type ExitStatus, exitStatuses, failureText } from "./shell/exit-status.ts";
import type { Shell } from "./shell/shell.ts";

// The SDK warns about Node.js 20, which package.json says that we support, so we silence it.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= "true";
// `pg` asks where it runs. Without this name, which later versions of Node.js have, it makes a `Response`,
// for which Node.js 20 loads all of its `fetch`: up to 12 MB, and 40 ms.
if (!("navigator" in globalThis)) Object.assign(globalThis, { navigator: { userAgent: "Node.js/20" } });

const stderr = safeOutput(process.stderr);
// Node.js would print errors and warnings itself, and with them whatever their messages quote.
process.on("uncaughtException", (error) => {
  stderr.write(failureText(error));
  process.exit(1);
});
process.removeAllListeners("warning").on("warning", ({ name, message }) => {
  stderr.write(`partner-programs: ${singleLine(`${name}: ${message}`)}\n`);
});

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<ExitStatus> {
  const interruption = new AbortController();
  // Every call in flight listens to this signal. Node.js takes more than ten listeners for a leak.
  setMaxListeners(0, interruption.signal);
  const interrupt = (): void => {
    // The second signal ends a process that is stuck.
    if (interruption.signal.aborted) process.exit(130);
    interruption.abort();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  // `partner-programs ... | head` closes our output early: no failure, unless the command says so.
  let status: ExitStatus = 0;
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) =>
    process.exit(code === "EPIPE" ? status : 1),
  );
  // When standard error is closed, nobody is left to read a message about that.
  process.stderr.on("error", () => {});

  const shell: Shell = {
    env: process.env,
    stdout: safeOutput(process.stdout),
    stderr,
    stdin: process.stdin,
    actor: { user: userName(), host: hostname() || "unknown" },
    now: () => new Date(),
    randomBytes,
    signal: interruption.signal,
    finish: (finished) => {
      status = finished;
    },
  };
  try {
    if (args.join(" ") === "--version --json") {
      shell.stdout.write(`${printableJson(buildInfo())}\n`);
      return 0;
    }
    const program = await createProgram(shell, packageVersion(), args);
    await program.parseAsync(args, { from: "user" });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    shell.stderr.write(failureText(error));
    return exitStatuses[asFailure(error).code];
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

/** In a container the user may be a bare number without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
