import { readFileSync } from "node:fs";
import { maxCallsAtOnce } from "../../core/store/object-store.ts";

/** How many files and sockets this process may have open; `undefined` where no system says so. */
export function openFilesLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** What a process may have open at once. */
export interface OpenFiles {
  readonly connections: number;
  /** Reads of bodies: each has a socket, or with a folder a file. */
  readonly reads: number;
  /** Whether the limit of the system is below what the settings ask for. */
  readonly isShort: boolean;
}

/**
 * W188: divides the limit, so that clients and readers of large bodies never take the last file, which the
 * registry, pointers, the log and the admin listener need.
 */
export function openFilesWithin(limit: number | undefined, maxConnections: number): OpenFiles {
  if (limit === undefined || limit >= filesFor(maxConnections))
    return { connections: maxConnections, reads: maxCallsAtOnce, isShort: false };
  const reads = Math.max(2, Math.min(maxCallsAtOnce, Math.floor(limit / 4)));
  const connections = Math.max(1, Math.min(maxConnections, limit - reads - otherFiles));
  return { connections, reads, isShort: true };
}

/** What the limit should be. */
export function filesFor(maxConnections: number): number {
  return maxConnections + maxCallsAtOnce + otherFiles;
}

/** Pointers and manifests read at once, the registry, Redis, logs, the admin listener, Node's own. */
const otherFiles = 128;
