import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Failure, interrupted } from "../../core/failure.ts";

// The two programs share nothing but the store, so the demo starts them as processes and imports nothing of the gateway.
const cliPath = fileURLToPath(new URL("../main.js", import.meta.url));
const gatewayPath = fileURLToPath(new URL("../../gateway/main.js", import.meta.url));

/**
 * Runs `partner-programs` as an operator would, and returns its standard output. Throws its output when it does not exit
 * with 0. The signal ends it.
 */
export async function runCli(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string> {
  const what = `partner-programs ${args.join(" ")}`;
  if (signal?.aborted) throw interrupted(what);
  const child = spawn(process.execPath, [cliPath, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const end = (): boolean => child.kill("SIGTERM");
  signal?.addEventListener("abort", end);
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  const [status] = await once(child, "close");
  signal?.removeEventListener("abort", end);
  if (signal?.aborted) throw interrupted(what);
  if (status === 0) return output.stdout;
  const printed = `${output.stderr}${output.stdout}`.trimEnd().split("\n");
  throw new Failure("internal", [`${what} ended with ${status}:`, ...printed]);
}

export interface RunningGateway {
  readonly baseUrl: string;
  /** Resolves with the exit status when the gateway has ended, for any reason. */
  readonly ended: Promise<number | null>;
  stop(): void;
}

/** Starts `partner-programs-gateway` and waits for the line with its address. The signal stops it. */
export async function startGateway(env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<RunningGateway> {
  const what = "The start of the gateway";
  if (signal?.aborted) throw interrupted(what);
  const child = spawn(process.execPath, [gatewayPath], { env, stdio: ["ignore", "pipe", "inherit"] });
  const stop = (): void => {
    child.kill("SIGTERM");
  };
  signal?.addEventListener("abort", stop);
  const ended = once(child, "close").then(([status]) => status as number | null);
  const lines = createInterface({ input: child.stdout });
  const address = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const { api } = JSON.parse(line) as { readonly api?: unknown };
      if (typeof api === "string") resolve(api);
    });
  });
  const baseUrl = await Promise.race([address, ended.then(() => undefined)]);
  if (signal?.aborted) {
    await ended;
    throw interrupted(what);
  }
  if (baseUrl === undefined) {
    throw new Failure("internal", "The gateway ended before it was ready; its output is above.");
  }
  return { baseUrl, ended, stop };
}

/** The port, if it is free; else 0, which stands for any free port. */
export async function freePort(wanted: number): Promise<number> {
  const probe = createServer();
  return await new Promise((resolve) => {
    probe.once("error", () => resolve(0));
    probe.listen(wanted, "127.0.0.1", () => probe.close(() => resolve(wanted)));
  });
}
