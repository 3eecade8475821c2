import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Failure } from "../../core/ground/failure.ts";

// The two programs share only the store, so the demo starts processes and imports nothing of the gateway.
export const cliPath = fileURLToPath(new URL("../main.js", import.meta.url));
const gatewayPath = fileURLToPath(new URL("../../gateway/main.js", import.meta.url));

/** Runs `partner-programs` and returns its standard output. Throws the output unless it exits with 0. */
export async function runCli(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string> {
  const child = spawn(process.execPath, [cliPath, ...args], {
    env,
    signal,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), endOf(child)]);
  if (status === 0) return stdout;
  const printed = `${stderr}${stdout}`.trimEnd().split("\n");
  throw new Failure("internal", [`partner-programs ${args.join(" ")} ended with ${status}:`, ...printed]);
}

export interface RunningGateway {
  readonly baseUrl: string;
  /** Resolves with the exit status when the gateway has ended, for any reason. */
  readonly ended: Promise<number | null>;
  stop(): void;
}

/** Starts `partner-programs-gateway` and waits for the line with its address. The signal stops it. */
export async function startGateway(env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<RunningGateway> {
  const child = spawn(process.execPath, [gatewayPath], { env, signal, stdio: ["ignore", "pipe", "inherit"] });
  const ended = endOf(child);
  const lines = createInterface({ input: child.stdout });
  const baseUrl = await new Promise<string | undefined>((resolve) => {
    lines.on("line", (line) => {
      const { api } = JSON.parse(line) as { readonly api?: unknown };
      if (typeof api === "string") resolve(api);
    });
    lines.once("close", () => resolve(undefined));
  });
  if (baseUrl !== undefined) return { baseUrl, ended, stop: () => child.kill("SIGTERM") };
  await ended;
  throw new Failure("internal", "The gateway ended before it was ready; its output is above.");
}

/** Resolves with the exit status. An end by the signal is an error event, too, and adds nothing. */
function endOf(child: ChildProcess): Promise<number | null> {
  child.on("error", () => {});
  return new Promise((resolve) => child.once("close", resolve));
}
