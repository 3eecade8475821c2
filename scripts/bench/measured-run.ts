import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface MeasuredRun {
  readonly seconds: number;
  /** The largest resident set while it ran; NaN where /proc is missing. */
  readonly peakMb: number;
  /** Processor time of the process itself, up to 20 ms before its end; NaN where /proc is missing. */
  readonly cpuSeconds: number;
  readonly stdout: string;
}

const cliPath = fileURLToPath(new URL("../../cli/main.js", import.meta.url));

/** Runs `partner-programs` and measures wall time and peak memory; throws unless it exits with 0. */
export async function measuredCli(args: readonly string[], env: NodeJS.ProcessEnv): Promise<MeasuredRun> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [cliPath, ...args], { env, stdio: ["ignore", "pipe", "inherit"] });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  let peakMb = Number.NaN;
  let cpuSeconds = Number.NaN;
  const sampling = setInterval(() => {
    peakMb = peakOf(child.pid) ?? peakMb;
    cpuSeconds = cpuOf(child.pid) ?? cpuSeconds;
  }, 20);
  const [status] = await once(child, "close");
  clearInterval(sampling);
  const seconds = (performance.now() - startedAt) / 1000;
  if (status !== 0) throw new Error(`partner-programs ${args.join(" ")} ended with ${status}: ${stdout}`);
  return { seconds, peakMb, cpuSeconds, stdout };
}

/** Linux counts in hundredths of a second. The times are the 14th and 15th field; the name before them is in parentheses. */
function cpuOf(pid: number | undefined): number | undefined {
  try {
    const [user, system] =
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11, 13) ?? [];
    return (Number(user) + Number(system)) / 100;
  } catch {
    return undefined;
  }
}

/** The kernel keeps the high-water mark, so the last sample before the end is the peak. */
function peakOf(pid: number | undefined): number | undefined {
  try {
    const kb = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined;
  }
}
