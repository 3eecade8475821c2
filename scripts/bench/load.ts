import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** The result of one run of load. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  /** Number of answers other than 2xx and 3xx, and of failed connections. */
  readonly errors: number;
}

export interface LoadPlan {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
}

/** Loads a server of this machine with `wrk`, which needs less of the machine than it measures. */
export async function load({ url, headers, connections, seconds }: LoadPlan): Promise<LoadResult> {
  const { hostname } = new URL(url);
  if (hostname !== "127.0.0.1") throw new Error(`Only servers of this machine are loaded, not ${hostname}.`);
  const lines = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const plan = ["--threads", "1", "--connections", String(connections), "--duration", `${seconds}s`];
  // With this timeout a slow answer is measured, and does not count as wrong.
  const { stdout } = await promisify(execFile)("wrk", [
    ...plan,
    "--timeout",
    "60s",
    "--latency",
    ...lines,
    url,
  ]).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT" ? new Error("This needs wrk, Debian's package of that name.") : error;
  });
  return wrkResult(stdout);
}

function wrkResult(text: string): LoadResult {
  const number = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  const socketErrors = [...(/Socket errors: (.*)/.exec(text)?.[1]?.matchAll(/\d+/g) ?? [])];
  return {
    requestsPerSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p99Ms: milliseconds(/^ +99%\s+(\S+)/m.exec(text)?.[1]),
    errors:
      number(/Non-2xx or 3xx responses: (\d+)/) +
      socketErrors.reduce((sum, [digits]) => sum + Number(digits), 0),
  };
}

function milliseconds(duration: string | undefined): number {
  const [, value = "", unit = ""] = /^([\d.]+)(us|ms|s|m)$/.exec(duration ?? "") ?? [];
  const factors: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };
  return Number(value) * (factors[unit] ?? Number.NaN);
}
