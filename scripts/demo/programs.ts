import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const cliPath = fileURLToPath(new URL("../../cli/main.js", import.meta.url));
const gatewayPath = fileURLToPath(new URL("../../gateway/main.js", import.meta.url));

/** Runs `partner-programs` as an operator would and gives its standard output; throws when it does not exit with 0. */
export async function runCli(args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(process.execPath, [cliPath, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  const [status] = await once(child, "close");
  if (status === 0) return output.stdout;
  throw new Error(
    `partner-programs ${args.join(" ")} ended with ${status}:\n${output.stderr}${output.stdout}`,
  );
}

/** A running gateway. */
export interface RunningGateway {
  readonly baseUrl: string;
  /** Resolves with the exit status once it has ended, for whatever reason. */
  readonly ended: Promise<number | null>;
  stop(): void;
}

/** Starts `partner-programs-gateway` and waits for the line that says where it listens. */
export async function startGateway(env: NodeJS.ProcessEnv): Promise<RunningGateway> {
  const child = spawn(process.execPath, [gatewayPath], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close").then(([status]) => status as number | null);
  const lines = createInterface({ input: child.stdout });
  const address = new Promise<string>((resolve) => {
    lines.on("line", (line) => {
      const { api } = JSON.parse(line) as { readonly api?: unknown };
      if (typeof api === "string") resolve(api);
    });
  });
  const baseUrl = await Promise.race([address, ended.then(() => undefined)]);
  if (baseUrl === undefined) throw new Error("The gateway ended before it was ready; see above.");
  return {
    baseUrl,
    ended,
    stop: () => {
      child.kill("SIGTERM");
    },
  };
}

/** The port if nobody has it, else 0: any free one. */
export async function freePort(wanted: number): Promise<number> {
  const probe = createServer();
  return await new Promise((resolve) => {
    probe.once("error", () => resolve(0));
    probe.listen(wanted, "127.0.0.1", () => probe.close(() => resolve(wanted)));
  });
}
