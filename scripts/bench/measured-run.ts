import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { cpuMicros, memoryMb } from "./process-figures.ts";

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
    const memory = memoryMb(child.pid, "VmHWM");
    // Nothing is known of a process that has ended. The kernel keeps the high-water mark, so the last sample
    // has the peak.
    if (!Number.isNaN(memory)) [peakMb, cpuSeconds] = [memory, cpuMicros(child.pid) / 1e6];
  }, 20);
  const [status] = await once(child, "close");
  clearInterval(sampling);
  const seconds = (performance.now() - startedAt) / 1000;
  if (status !== 0) throw new Error(`partner-programs ${args.join(" ")} ended with ${status}: ${stdout}`);
  return { seconds, peakMb, cpuSeconds, stdout };
}
