import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../core/failure.ts";
import type { Cluster } from "./cluster.ts";
import type { ServerAccount } from "./server-account.ts";
import type { ServerBinaries } from "./server-binaries.ts";

/** A process's use of a running server. */
export interface ServerUse {
  readonly port: number;
  /** Resolves at once while others use the server, and after the last use when the server has stopped. */
  leave(): Promise<void>;
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

/** What the keeper is told by the process that starts it. */
interface KeeperTask {
  readonly command: readonly string[];
  readonly account: { readonly uid?: number; readonly gid?: number };
  readonly cluster: Cluster;
  readonly port: number;
  /** The log and the file `users` have names of their own until the server runs, so that a loser of a race disturbs nothing. */
  readonly ownLog: string;
  readonly ownUsers: string;
  readonly secret: string;
}

/**
 * Runs in the keeper, a process beside the server. The server's users are the processes that hold a connection to the keeper. The
 * kernel closes it for those that are killed, so the last one leaves for certain, however it ends, and the keeper stops the server.
 * A user that comes meanwhile gets no answer. The process that starts the keeper is its first user, by standard input until it
 * connects.
 *
 * The function is passed on as text, so it uses nothing of this file.
 */
function keep({ command, account, cluster, port, ownLog, ownUsers, secret }: KeeperTask): void {
  const fs = process.getBuiltinModule("node:fs");
  const [program = "", ...args] = command;
  const server = process
    .getBuiltinModule("node:child_process")
    .spawn(program, args, { stdio: ["ignore", "inherit", "inherit"], ...account });
  server.once("error", () => process.exit(1));
  server.once("exit", () => process.exit(1));
  const users = new Set<object>([process.stdin]);
  const leave = (user: object): void => {
    if (users.delete(user) && users.size === 0) server.kill("SIGINT");
  };
  process.stdin.once("close", () => leave(process.stdin));
  const door = process.getBuiltinModule("node:net").createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    socket.once("data", (said) => {
      const [given, isLauncher] = String(said).split(" ");
      if (given !== secret || users.size === 0) {
        socket.destroy();
        return;
      }
      users.add(socket);
      // Standard input may close after this connection, which would then not be the last one.
      if (isLauncher !== undefined) users.delete(process.stdin);
      socket.write("joined");
      socket.once("close", () => leave(socket));
      // The connection of the last user closes with this process, when the server has ended.
      socket.once("end", () => {
        leave(socket);
        if (users.size > 0) socket.end();
      });
    });
  });
  const isReady = async (): Promise<boolean> => {
    // Not through a link, and never waiting for a pipe: the server's account can put either there.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    const options = { encoding: "utf8", flag: O_RDONLY | O_NOFOLLOW | O_NONBLOCK } as const;
    const lockFile = await fs.promises.readFile(`${cluster.data}/postmaster.pid`, options).catch(() => "");
    // Lines: process id, data directory, start time, port, socket directory, address, shared memory, state.
    const [holder, , , , , , , state] = lockFile.split("\n");
    return Number(holder) === server.pid && state?.trim() === "ready";
  };
  door.listen(0, "127.0.0.1", async () => {
    while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 10));
    const address = door.address();
    if (address === null || typeof address === "string") throw new TypeError("a TCP listener has a port");
    fs.writeFileSync(ownUsers, `${address.port} ${secret} ${port}`, { flag: "wx", mode: 0o600 });
    fs.renameSync(ownLog, cluster.log);
    fs.renameSync(ownUsers, cluster.users);
  });
}

/**
 * Launches the server and waits until it accepts connections. `undefined` when another process was faster
 * with this cluster, or took the port: try again.
 */
export async function launchServer(plan: LaunchPlan): Promise<ServerUse | undefined> {
  const { cluster, account, deadline } = plan;
  const attempt = randomBytes(8).toString("hex");
  const port = await freePort();
  const task: KeeperTask = {
    command: commandLine(plan, port),
    account: account.isOther ? { uid: account.uid, gid: account.gid } : {},
    cluster,
    port,
    ownLog: `${cluster.log}.${attempt}`,
    ownUsers: `${cluster.users}.${attempt}`,
    secret: randomBytes(16).toString("hex"),
  };
  const log = openSync(task.ownLog, "wx", 0o600);
  const script = `process.stdin.once("data", (task) => (${keep})(JSON.parse(task)))`;
  const keeper = spawn(process.execPath, ["--eval", script], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    // A session of its own: Ctrl-C on the terminal is for us, and we may still need the server to finish.
    detached: true,
    stdio: ["pipe", log, log],
  });
  closeSync(log);
  keeper.unref();
  let hasEnded = false;
  keeper.once("error", () => {
    hasEnded = true;
  });
  keeper.once("exit", () => {
    hasEnded = true;
  });
  const { stdin } = keeper;
  stdin?.on("error", () => {});
  stdin?.write(JSON.stringify(task));
  try {
    for (;;) {
      const use = await joinServer(cluster, task.secret);
      if (use !== undefined) return use;
      if (hasEnded) {
        await throwUnlessBeaten(cluster, task.ownLog);
        return undefined;
      }
      if (Date.now() > deadline) {
        throw new Failure("source_unavailable", `The embedded PostgreSQL did not start; see ${task.ownLog}.`);
      }
      await delay(10);
    }
  } finally {
    stdin?.end();
  }
}

/** Becomes a user of the cluster's server; `undefined` when none runs, or it is stopping. `only`: the secret of the wanted server. */
export async function joinServer(cluster: Cluster, only?: string): Promise<ServerUse | undefined> {
  const [door, secret, port] = (await readFile(cluster.users, "utf8").catch(() => "")).split(" ");
  if (secret === undefined || port === undefined || (only !== undefined && only !== secret)) return undefined;
  const socket = connect(Number(door), "127.0.0.1");
  const isJoined = await new Promise<boolean>((resolve) => {
    socket.setTimeout(5000, () => socket.destroy());
    socket.once("connect", () => socket.write(only === undefined ? secret : `${secret} launcher`));
    socket.once("data", (said) => resolve(String(said) === "joined"));
    socket.on("error", () => {});
    socket.once("close", () => resolve(false));
  });
  if (!isJoined) {
    socket.destroy();
    return undefined;
  }
  socket.setTimeout(0);
  socket.unref();
  return { port: Number(port), leave: () => closed(socket, cluster) };
}

const stopTimeoutMs = 60_000;

function closed(socket: ReturnType<typeof connect>, { data }: Cluster): Promise<void> {
  return new Promise((resolve, reject) => {
    if (socket.destroyed) return resolve();
    socket.ref();
    socket.once("close", () => resolve());
    socket.setTimeout(stopTimeoutMs, () => {
      reject(new Failure("source_unavailable", `The embedded PostgreSQL in ${data} does not stop.`));
      socket.destroy();
    });
    socket.end();
  });
}

function commandLine({ cluster, binaries, durable }: LaunchPlan, port: number): readonly string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
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
