import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runCli } from "../../cli/demo/programs.ts";
import { cpuMicros } from "./process-figures.ts";

/** A server in a process of its own, as it would run. */
export interface BenchServer {
  readonly url: string;
  readonly pid: number;
  /**
   * Processor time that the server has used so far, of all its threads, in microseconds; NaN where /proc is
   * missing.
   */
  cpuMicros(): number;
  stop(): Promise<void>;
}

/**
 * Starts a built script of this project that prints one JSON line with its address under `api` or `url`. Its
 * further output is read and dropped, as a log collector would read it.
 */
export async function startServer(
  script: string,
  env: NodeJS.ProcessEnv,
  nodeOptions: readonly string[] = [],
): Promise<BenchServer> {
  const path = fileURLToPath(new URL(`../../${script}`, import.meta.url));
  const child = spawn(process.execPath, [...nodeOptions, path], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await Promise.race([address(child), once(child, "close").then(() => undefined)]);
  if (url === undefined) throw new Error(`${script} ended before it was ready`);
  child.stdout?.resume();
  const pid = child.pid ?? Number.NaN;
  return {
    url,
    pid,
    cpuMicros: () => cpuMicros(pid),
    async stop() {
      const ended = once(child, "close");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Starts a gateway on a free port that limits nobody's requests. */
export async function startGateway(
  settings: NodeJS.ProcessEnv,
  nodeOptions: readonly string[] = [],
): Promise<BenchServer> {
  const own = { PORT: "0", ADMIN_PORT: "off", RATE_LIMIT_REQUESTS: "1000000000" };
  return await startServer("gateway/main.js", { ...own, ...settings }, nodeOptions);
}

/** The headers of a request with a new token of the tenant. */
export async function tokenHeaders(
  tenant: string,
  env: NodeJS.ProcessEnv,
  ...options: readonly string[]
): Promise<Readonly<Record<string, string>>> {
  const token = await runCli(["token", "create", "--tenant", tenant, ...options], env);
  return { Authorization: `Bearer ${token.trim()}` };
}

/** The paths of the details of all programs that a gateway lists, in its order. */
export async function detailPaths(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const answer = await fetch(`${url}/v1/programs`, { headers: { ...headers } });
  if (answer.status !== 200) throw new Error(`the gateway answered ${answer.status}`);
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
  return data.map(({ id }) => `/v1/programs/${id}`);
}

async function address(child: ChildProcess): Promise<string | undefined> {
  if (child.stdout === null) return undefined;
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const { api, url } = JSON.parse(line) as { readonly api?: string; readonly url?: string };
    if (api !== undefined || url !== undefined) return api ?? url;
  }
  return undefined;
}
