import { readdirSync, readFileSync } from "node:fs";
import { queried } from "./queried.ts";

/** Linux counts in ticks of 10 ms. */
const ticksPerSecond = 100;

/** The process id of the PostgreSQL server behind the connection string. The server must run on this machine. */
export async function postmasterOf(databaseUrl: string): Promise<number> {
  const [row] = await queried(
    databaseUrl,
    `
    SELECT pg_read_file('postmaster.pid', 0, 20) AS lock`,
  );
  return Number(String(row?.lock).split("\n")[0]);
}

/**
 * Processor time that the server has used so far, in seconds: of the postmaster, of the sessions that have ended, and of those that
 * are open. NaN where /proc is missing.
 */
export function serverCpuSeconds(postmaster: number): number {
  const fields = fieldsOf(postmaster);
  if (fields === undefined) return Number.NaN;
  let ticks = fields.own + fields.ended;
  for (const name of readdirSync("/proc")) {
    const process = /^\d+$/.test(name) ? fieldsOf(Number(name)) : undefined;
    if (process?.parent === postmaster) ticks += process.own;
  }
  return ticks / ticksPerSecond;
}

interface ProcessFields {
  readonly parent: number;
  readonly own: number;
  /** Of children that have ended. */
  readonly ended: number;
}

/** The name in parentheses may hold spaces, so fields are counted after it. */
function fieldsOf(pid: number): ProcessFields | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "";
    const [, parent, , , , , , , , , , user, system, endedUser, endedSystem] = text.split(" ").map(Number);
    return {
      parent: parent ?? 0,
      own: (user ?? 0) + (system ?? 0),
      ended: (endedUser ?? 0) + (endedSystem ?? 0),
    };
  } catch {
    return undefined;
  }
}
