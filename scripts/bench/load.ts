import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** The result of one run of load. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  /** Bytes of answers, including answers that were under way at the end. */
  readonly bytesPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Number of answers other than 2xx and 3xx, and of failed connections. */
  readonly errors: number;
}

export interface LoadPlan {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** Pause between an answer and the next request of its connection. Without one the server is always busy. */
  readonly pauseMs?: number | undefined;
}

/**
 * Loads a server of this machine with `wrk`, which needs less of the machine than it measures; with `autocannon` where
 * there is no wrk (ratios then say less: the loader takes more time than the server).
 */
export async function load(plan: LoadPlan): Promise<LoadResult> {
  const { hostname } = new URL(plan.url);
  if (hostname !== "127.0.0.1") throw new Error(`Only servers of this machine are loaded, not ${hostname}.`);
  try {
    return wrkResult(await output("wrk", wrkArguments(plan), { PAUSE_MS: String(plan.pauseMs) }));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    return autocannonResult(await output("npx", autocannonArguments(plan)));
  }
}

function wrkArguments({ url, headers, connections, seconds, pauseMs }: LoadPlan): string[] {
  const lines = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  return [
    "--threads",
    "1",
    "--connections",
    String(connections),
    "--duration",
    `${seconds}s`,
    // A slow answer is measured and does not count as wrong.
    "--timeout",
    "60s",
    "--latency",
    ...(pauseMs === undefined ? [] : ["--script", pauseScript]),
    ...lines,
    url,
  ];
}

/** The path relative to the built module. */
const pauseScript = fileURLToPath(new URL("../../../scripts/bench/pause.lua", import.meta.url));

function wrkResult(text: string): LoadResult {
  const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  const socketErrors = [...(/Socket errors: (.*)/.exec(text)?.[1]?.matchAll(/\d+/g) ?? [])];
  return {
    requestsPerSecond: number(/Requests\/sec:\s+([\d.]+)/),
    bytesPerSecond: byteCount(/Transfer\/sec:\s+(\S+)/.exec(text)?.[1]),
    p50Ms: milliseconds(/^ +50%\s+(\S+)/m.exec(text)?.[1]),
    p99Ms: milliseconds(/^ +99%\s+(\S+)/m.exec(text)?.[1]),
    errors:
      number(/Non-2xx or 3xx responses: (\d+)/) +
      socketErrors.reduce((sum, [digits]) => sum + Number(digits), 0),
  };
}

function byteCount(text: string | undefined): number {
  const [, value = "", unit = ""] = /^([\d.]+)([KMG]?)B$/.exec(text ?? "") ?? [];
  return Number(value) * 1024 ** ["", "K", "M", "G"].indexOf(unit);
}

function milliseconds(duration: string | undefined): number {
  const [, value = "", unit = ""] = /^([\d.]+)(us|ms|s|m)$/.exec(duration ?? "") ?? [];
  const factors: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };
  return Number(value) * (factors[unit] ?? Number.NaN);
}

function autocannonArguments({ url, headers, connections, seconds, pauseMs }: LoadPlan): string[] {
  const lines = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}=${value}`]);
  const rate = pauseMs === undefined ? [] : ["-R", String(Math.round((connections * 1000) / pauseMs))];
  return ["autocannon", "--json", "-c", String(connections), "-d", String(seconds), ...rate, ...lines, url];
}

function autocannonResult(text: string): LoadResult {
  const result = JSON.parse(text) as {
    readonly requests: { readonly average: number };
    readonly throughput: { readonly average: number };
    readonly latency: { readonly p50: number; readonly p99: number };
    readonly errors: number;
    readonly non2xx: number;
  };
  return {
    requestsPerSecond: result.requests.average,
    bytesPerSecond: result.throughput.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + result.non2xx,
  };
}

async function output(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await promisify(execFile)(command, args, { env: { ...process.env, ...env } })).stdout;
}
