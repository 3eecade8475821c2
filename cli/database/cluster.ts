import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Failure } from "../../core/failure.ts";
import { machineDirectory } from "./machine-directory.ts";
import { canEnter, type ServerAccount } from "./server-account.ts";
import type { ServerBinaries } from "./server-binaries.ts";

/** A database cluster on disk and what lies beside it. */
export interface Cluster {
  /** Entered by the server's account alone. */
  readonly directory: string;
  /** PostgreSQL's own data directory. */
  readonly data: string;
  readonly passwordFile: string;
  /** The named pipe that the users of a running server hold open. */
  readonly users: string;
  readonly log: string;
}

/** The superuser of an embedded cluster, and its database. */
const superuser = "postgres";

/**
 * Where the cluster of a `DATA_DIR` lives: `<dataDir>/postgres`, or a place of the machine when the server's
 * account can't enter `dataDir` (below /root).
 */
export async function clusterOf(dataDir: string, account: ServerAccount): Promise<Cluster> {
  await mkdir(dataDir, { recursive: true }).catch((cause: unknown) => {
    throw new Failure(
      "source_unavailable",
      `The embedded PostgreSQL can't keep its data in ${dataDir} (${cause instanceof Error ? cause.message : "unknown"}). ` +
        "Set DATABASE_URL to your booking database, or DATA_DIR to a folder that may be written to.",
      { cause },
    );
  });
  if (await canEnter(account, dataDir)) return clusterAt(join(dataDir, "postgres"));
  const name = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  const parent = join(await machineDirectory(), name);
  await mkdir(parent, { recursive: true });
  await chmod(parent, 0o755);
  return clusterAt(join(parent, "postgres"));
}

/** Creates the cluster unless it exists; several processes may try at once. Takes about two seconds. */
export async function createCluster(
  cluster: Cluster,
  binaries: ServerBinaries,
  account: ServerAccount,
): Promise<void> {
  if (await exists(cluster.data)) return;
  // Made elsewhere and renamed, so that nobody ever sees half a cluster, not even after a crash.
  const unfinished = clusterAt(`${cluster.directory}.new-${randomBytes(8).toString("hex")}`);
  await mkdir(unfinished.directory, { mode: 0o700 });
  await writeFile(unfinished.passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
  if (account.isOther) {
    await chown(unfinished.passwordFile, account.uid, account.gid);
    await chown(unfinished.directory, account.uid, account.gid);
  }
  try {
    await initdb(binaries, unfinished, account);
    await rename(unfinished.directory, cluster.directory).catch((error: unknown) => {
      if (!isNotEmpty(error)) throw error;
    });
  } finally {
    await rm(unfinished.directory, { recursive: true, force: true });
  }
}

/** The address of the cluster's database on a server that listens on this port. */
export async function clusterUrl(cluster: Cluster, port: number): Promise<string> {
  const password = await readFile(cluster.passwordFile, "utf8").catch((cause: unknown) => {
    throw new Failure(
      "source_unavailable",
      `Cannot read ${cluster.passwordFile}: the embedded PostgreSQL belongs to another user. ` +
        "Run as that user, set another DATA_DIR, or set DATABASE_URL.",
      { cause },
    );
  });
  return `postgresql://${superuser}:${password}@127.0.0.1:${port}/postgres`;
}

async function initdb(binaries: ServerBinaries, cluster: Cluster, account: ServerAccount): Promise<void> {
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  // Other users of the machine reach the port as well: they need the password, and can't read it.
  const access = [`--username=${superuser}`, "--auth=scram-sha-256", `--pwfile=${cluster.passwordFile}`];
  try {
    await promisify(execFile)(binaries.initdb, [`--pgdata=${cluster.data}`, ...locale, ...access], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      timeout: 120_000,
      ...(account.isOther ? { uid: account.uid, gid: account.gid } : {}),
    });
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message.split("\n").slice(1).join(" ").trim() : "";
    throw new Failure(
      "source_unavailable",
      `Could not create the embedded PostgreSQL in ${cluster.directory}: ${detail || "initdb failed"}. ` +
        "Set DATABASE_URL to a PostgreSQL of your own if this machine can't run it.",
      { cause },
    );
  }
}

function clusterAt(directory: string): Cluster {
  return {
    directory,
    data: join(directory, "cluster"),
    passwordFile: join(directory, "password"),
    users: join(directory, "users"),
    log: join(directory, "server.log"),
  };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      // "Permission denied" means that there is one: it is reported when its password can't be read.
      return !(error instanceof Error && "code" in error && error.code === "ENOENT");
    },
  );
}

function isNotEmpty(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOTEMPTY" || error.code === "EEXIST");
}
