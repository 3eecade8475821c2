import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { outputOf, runToEnd } from "./run-to-end.ts";

/** The built program, which the set-up of the integration tests has made. */
const script = fileURLToPath(new URL("../../dist/gateway/main.js", import.meta.url));

/** A gateway in a process of its own. */
export type GatewayProcess = Awaited<ReturnType<typeof startGatewayProcess>>;

/** Runs the gateway's command and collects what it says, to its end. */
export function runGateway(args: readonly string[], env: Readonly<Record<string, string>>) {
  return runToEnd(process.execPath, [script, ...args], env);
}

/**
 * Starts a gateway on free ports; resolves when it says where it listens. `openFiles`: how many it may have
 * open.
 */
export async function startGatewayProcess(
  env: Readonly<Record<string, string>>,
  openFiles: number | "unlimited" = "unlimited",
) {
  const limit = openFiles === "unlimited" ? "" : `ulimit -n ${openFiles};`;
  const child = spawn("sh", ["-c", `${limit} exec "$0" "$1"`, process.execPath, script], {
    env: { PATH: process.env.PATH, PORT: "0", ADMIN_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "close").then(([code, signal]): number | NodeJS.Signals => code ?? signal);
  const all = outputOf(child);
  let ready: { api: string; admin: string } | undefined;
  while (ready === undefined) {
    await Promise.race([once(child.stdout, "data"), ended.then(() => Promise.reject(new Error(all.output)))]);
    ready = all.output
      .split("\n")
      .filter((line) => line.includes('"msg":"listening on'))
      .map((line) => JSON.parse(line))[0];
  }
  return {
    api: ready.api,
    admin: ready.admin,
    pid: child.pid ?? 0,
    output: () => all.output,
    signal: (name: NodeJS.Signals) => child.kill(name),
    /** Stops reading its standard output, as a log collector that died does. */
    dropOutput: () => child.stdout.destroy(),
    /** The exit status, or the signal that ended it. */
    ended,
  };
}
