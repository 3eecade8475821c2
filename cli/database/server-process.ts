import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync } from "node:fs";
import { readFile, rename, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../core/failure.ts";
import type { Cluster } from "./cluster.ts";
import type { ServerAccount } from "./server-account.ts";
import type { ServerBinaries } from "./server-binaries.ts";
import { createUsersPipe, keeperScript, leaveUsers, type ServerUse } from "./server-users.ts";

/** What a running server's `postmaster.pid` says. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  readonly isReady: boolean;
}

/** How to run the server. */
export interface LaunchPlan {
  readonly cluster: Cluster;
  readonly binaries: ServerBinaries;
  readonly account: ServerAccount;
  /** False trades safety against a crash of the machine for speed. */
  readonly durable: boolean;
  /** Milliseconds since the epoch; past it the launch fails. */
  readonly deadline: number;
}

/**
 * Launches the server and waits until it accepts connections. `undefined` when another process was faster
 * with this cluster, or took the port: try again.
 */
export async function launchServer(plan: LaunchPlan): Promise<ServerUse | undefined> {
  const { cluster, account } = plan;
  // Under names of our own until the server runs: whoever loses the race must not disturb the winner.
  const attempt = randomBytes(8).toString("hex");
  const own = { users: `${cluster.users}.${attempt}`, log: `${cluster.log}.${attempt}` };
  const { use, readEnd } = await createUsersPipe(own.users);
  const log = openSync(own.log, "wx", 0o600);
  try {
    const server = spawn("sh", ["-c", keeperScript, "sh", ...(await commandLine(plan))], {
      // The keeper leaves its proofs there, which is the account's own.
      cwd: cluster.data,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      // A session of its own: Ctrl-C on the terminal is for us, and we may still need the server to finish.
      detached: true,
      stdio: ["ignore", log, log, readEnd],
      ...(account.isOther ? { uid: account.uid, gid: account.gid } : {}),
    });
    server.unref();
    let ended = false;
    server.once("error", () => {
      ended = true;
    });
    server.once("exit", () => {
      ended = true;
    });
    while (!(await runningServer(cluster, server.pid))?.isReady) {
      if (ended) {
        leaveUsers(use, own.users);
        await throwUnlessBeaten(cluster, own.log);
        return undefined;
      }
      if (Date.now() > plan.deadline) {
        leaveUsers(use, own.users);
        throw new Failure("source_unavailable", `The embedded PostgreSQL did not start; see ${own.log}.`);
      }
      await delay(10);
    }
    await rename(own.log, cluster.log);
    await rename(own.users, cluster.users);
    return use;
  } finally {
    closeSync(log);
    closeSync(readEnd);
    await rm(own.users, { force: true });
  }
}

/** The server that holds the cluster according to its lock file; with `pid`, only if it is that one. */
export async function runningServer(cluster: Cluster, pid?: number): Promise<RunningServer | undefined> {
  // Not through a link, and never waiting for a pipe: the server's account can put either there.
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const path = `${cluster.data}/postmaster.pid`;
  const lockFile = await readFile(path, { encoding: "utf8", flag }).catch(() => "");
  // Lines: process id, data directory, start time, port, socket directory, address, shared memory, state.
  const [holder, , , port, , , , state] = lockFile.split("\n");
  if (holder === undefined || port === undefined) return undefined;
  if (pid !== undefined && Number(holder) !== pid) return undefined;
  return { pid: Number(holder), port: Number(port), isReady: state?.trim() === "ready" };
}

/**
 * Whether a PostgreSQL server answers on the port of this machine. To be connected is not enough: the kernel still does that
 * for one that was just killed.
 */
export async function answers(port: number): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port, timeout: 5000 });
  try {
    await new Promise<void>((resolve, reject) => {
      socket
        .once("connect", () => socket.write(sslRequest))
        .once("data", () => resolve())
        .once("error", reject)
        .once("close", reject)
        .once("timeout", reject);
    });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Asks for TLS, which every server answers with one byte, before it knows who asks (PostgreSQL, "Message Formats"). */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

async function commandLine({ cluster, binaries, durable }: LaunchPlan): Promise<readonly string[]> {
  const settings = {
    listen_addresses: "127.0.0.1",
    port: await freePort(),
    unix_socket_directories: "",
    timezone: "UTC",
    log_timezone: "UTC",
    lc_messages: "C",
    max_connections: 100,
    // No replica will ever read this cluster: bulk loads into fresh tables skip the write-ahead log.
    wal_level: "minimal",
    max_wal_senders: 0,
    max_wal_size: "4GB",
    shared_buffers: "256MB",
    maintenance_work_mem: "256MB",
    ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return [binaries.postgres, "-D", cluster.data, ...options];
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new TypeError("a TCP listener has a port");
  return address.port;
}

/** What PostgreSQL says of a lock file that another server has made, or is just making, and of a taken port. */
const lostRace = [" already exists", " is empty", "pre-existing shared memory", "could not bind"];

/** Returns when the server ended because another process holds the cluster or the port; else says why it ended. */
async function throwUnlessBeaten(cluster: Cluster, logFile: string): Promise<void> {
  const log = await readFile(logFile, "utf8").catch(() => "");
  if (lostRace.some((words) => log.includes(words))) {
    await rm(logFile, { force: true });
    return;
  }
  const reason = /FATAL: +(.*)/.exec(log)?.[1] ?? log.trim().split("\n").at(-1) ?? "";
  throw new Failure(
    "source_unavailable",
    `The embedded PostgreSQL in ${cluster.directory} does not start: ${reason || "no reason given"} ` +
      `(log: ${logFile}). Its data can be created anew after removing that folder; or set DATABASE_URL.`,
  );
}
