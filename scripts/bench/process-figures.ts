import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in ticks of 10 ms. */
const tickMicros = 10_000;

/**
 * Processor time that a process has used so far, of all its threads, in microseconds; NaN where /proc is
 * missing.
 */
export function cpuMicros(pid: number | undefined): number {
  return statOf(pid)?.ownMicros ?? Number.NaN;
}

/**
 * Processor time that a process and its children have used so far, in microseconds: those that have ended and
 * those that run. NaN where /proc is missing.
 */
export function familyCpuMicros(pid: number): number {
  const parent = statOf(pid);
  if (parent === undefined) return Number.NaN;
  const children = readdirSync("/proc").flatMap((name) =>
    /^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : [],
  );
  const running = children.filter((child) => child.parent === pid);
  return running.reduce((sum, { ownMicros }) => sum + ownMicros, parent.ownMicros + parent.endedMicros);
}

/**
 * Memory of a process: what it has now (`VmRSS`), or the most that it had (`VmHWM`). NaN where /proc is
 * missing.
 */
export function memoryMb(pid: number | undefined, kind: "VmRSS" | "VmHWM" = "VmRSS"): number {
  const lines = procFile(pid, "status")?.split("\n") ?? [];
  const line = lines.find((text) => text.startsWith(`${kind}:`));
  return Number(line?.split(/\s+/)[1] ?? Number.NaN) / 1024;
}

interface ProcessStat {
  readonly parent: number;
  readonly ownMicros: number;
  /** Of children that have ended. */
  readonly endedMicros: number;
}

/** The name in parentheses may hold spaces, so fields are counted after it. */
function statOf(pid: number | undefined): ProcessStat | undefined {
  const fields = procFile(pid, "stat")?.split(") ").at(-1)?.split(" ").map(Number);
  if (fields === undefined) return undefined;
  const [, parent = 0, , , , , , , , , , user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields;
  return {
    parent,
    ownMicros: (user + system) * tickMicros,
    endedMicros: (endedUser + endedSystem) * tickMicros,
  };
}

/** `undefined` for a process that has ended, and where /proc is missing. */
function procFile(pid: number | undefined, name: "stat" | "status"): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return undefined;
  }
}
