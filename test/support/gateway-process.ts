import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A gateway in a process of its own. */
export interface GatewayProcess {
  readonly api: string;
  readonly admin: string;
  readonly pid: number;
  /** Standard output so far. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** Stops reading its standard output, as a log collector that died does. */
  dropOutput(): void;
  /** The exit status, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Runs the gateway's command and collects what it says, to its end. */
export async function runGateway(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly status: number | NodeJS.Signals; readonly stdout: string; readonly stderr: string }> {
  const child = spawnGateway(args, env);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (text) => {
    stdout += text;
  });
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  const [code, signal] = await once(child, "close");
  return { status: code ?? signal, stdout, stderr };
}

/** Starts a gateway on free ports; resolves when it says where it listens. */
export async function startGatewayProcess(env: Readonly<Record<string, string>>): Promise<GatewayProcess> {
  const child = spawnGateway([], { PORT: "0", ADMIN_PORT: "0", ...env });
  const ended = once(child, "close").then(([code, signal]) => code ?? signal);
  let output = "";
  child.stdout.on("data", (text) => {
    output += text;
  });
  child.stderr.on("data", (text) => {
    output += text;
  });
  let ready: { api: string; admin: string } | undefined;
  while (ready === undefined) {
    await Promise.race([once(child.stdout, "data"), ended.then(() => Promise.reject(new Error(output)))]);
    ready = output
      .split("\n")
      .filter((line) => line.includes('"msg":"listening on'))
      .map((line) => JSON.parse(line))[0];
  }
  return {
    api: ready.api,
    admin: ready.admin,
    pid: child.pid ?? 0,
    output: () => output,
    signal: (name) => child.kill(name),
    dropOutput: () => child.stdout.destroy(),
    ended,
  };
}

function spawnGateway(args: readonly string[], env: Readonly<Record<string, string>>) {
  // The built program, which the set-up of the integration tests has made.
  const script = fileURLToPath(new URL("../../dist/gateway/main.js", import.meta.url));
  const child = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.setEncoding("utf8");
  child.stderr.setEncoding("utf8");
  return child;
}
