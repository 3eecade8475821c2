import { createHash, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, lstat, mkdir, open, readFile, realpath, rename, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../core/failure.ts";
import { isErrno } from "../../core/file-store/file-error.ts";
import { canEnter, isRootsAlone, machineDirectory, runAs, type ServerAccount } from "./server-account.ts";
import type { ServerBinaries } from "./server-binaries.ts";

/** A database cluster on disk and what lies beside it. */
export interface Cluster {
  /** Belongs to this process, so that the server's account can plant nothing in it. */
  readonly directory: string;
  /** PostgreSQL's own data directory. All that belongs to the server's account is in it. */
  readonly data: string;
  readonly passwordFile: string;
  /** How to reach the keeper of a running server. */
  readonly users: string;
  readonly log: string;
}

/** The superuser of an embedded cluster, and its database. */
const superuser = "postgres";

/**
 * Where the cluster of a `DATA_DIR` lives: `<dataDir>/postgres`. Root takes a place of the machine instead where the server's
 * account can't enter `dataDir` (below /root), or somebody else can change what lies in it. Throws
 * `source_unavailable` for a `<dataDir>/postgres` that somebody else made (P181).
 */
export async function clusterOf(namedDir: string, account: ServerAccount): Promise<Cluster> {
  await mkdir(namedDir, { recursive: true }).catch((cause: unknown) => {
    throw new Failure(
      "source_unavailable",
      `The embedded PostgreSQL can't keep its data in ${namedDir} (${cause instanceof Error ? cause.message : "unknown"}). ` +
        "Set DATABASE_URL to your booking database, or DATA_DIR to a folder that may be written to.",
      { cause },
    );
  });
  // A link on the way may belong to somebody else, who can let it lead elsewhere later.
  const dataDir = await realpath(namedDir);
  const usual = await ownCluster(dataDir);
  if (!account.isOther || ((await canEnter(account, dataDir)) && (await isRootsAlone(dataDir)))) return usual;
  const name = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  const parent = join(await machineDirectory(), name);
  await mkdir(parent, { recursive: true });
  await chmod(parent, 0o755);
  return await ownCluster(parent);
}

/** P181: a folder of somebody else may hold links to whatever this process can write. */
async function ownCluster(parent: string): Promise<Cluster> {
  const directory = join(parent, "postgres");
  const found = await lstat(directory).catch(() => undefined);
  if (found === undefined || (found.isDirectory() && found.uid === process.getuid?.()))
    return clusterAt(directory);
  const whose = found.isDirectory() ? `belongs to another user (uid ${found.uid})` : "is no folder";
  throw new Failure(
    "source_unavailable",
    `${directory}, where the embedded PostgreSQL would be, ${whose}. Run this as that user; or remove it, if its data can be ` +
      "made anew; or set another DATA_DIR, or DATABASE_URL.",
  );
}

/** Creates the cluster unless it exists; several processes may try at once. Takes about two seconds. */
export async function createCluster(
  cluster: Cluster,
  binaries: ServerBinaries,
  account: ServerAccount,
): Promise<void> {
  if ((await stat(cluster.data).catch(() => undefined)) !== undefined) return;
  // Made elsewhere and renamed, so that nobody ever sees half a cluster, not even after a crash.
  const unfinished = clusterAt(`${cluster.directory}.new-${randomBytes(8).toString("hex")}`);
  await mkdir(unfinished.directory, { mode: 0o700 });
  try {
    if (account.isOther) await chmod(unfinished.directory, 0o711);
    await mkdir(unfinished.data, { mode: 0o700 });
    await initdb(binaries, unfinished, account);
    await rename(unfinished.directory, cluster.directory);
  } catch (error) {
    await removeUnfinished(unfinished, account);
    // Another process was faster.
    if (!isErrno(error, "ENOTEMPTY", "EEXIST")) throw error;
  }
}

/**
 * The server's account removes its own files: whoever has it could turn a folder into a link while root goes through
 * it.
 */
async function removeUnfinished({ directory, data }: Cluster, account: ServerAccount): Promise<void> {
  if (account.isOther) {
    // It cannot remove the folder itself, so its exit status is ignored.
    await runAs(account, "rm", ["-rf", data]).catch(() => {});
    await rmdir(data).catch(() => {});
  }
  await rm(directory, { recursive: true, force: true });
}

/** The address of the cluster's database on a server that listens on this port. */
export async function clusterUrl(cluster: Cluster, port: number): Promise<string> {
  const password = await readFile(cluster.passwordFile, "utf8");
  return `postgresql://${superuser}:${password}@127.0.0.1:${port}/postgres`;
}

async function initdb(binaries: ServerBinaries, cluster: Cluster, account: ServerAccount): Promise<void> {
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  // Other users of the machine reach the port as well: they need the password, and can't read it.
  const access = [`--username=${superuser}`, "--auth=scram-sha-256", `--pwfile=${cluster.passwordFile}`];
  const password = await open(cluster.passwordFile, "wx", 0o600);
  const data = await open(cluster.data, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    await password.writeFile(randomBytes(24).toString("base64url"));
    // P181: by descriptor, so that these are the files that were made above, whatever their names lead to by now.
    if (account.isOther)
      await Promise.all([password, data].map((file) => file.chown(account.uid, account.gid)));
    await runAs(account, binaries.initdb, [`--pgdata=${cluster.data}`, ...locale, ...access]);
    if (account.isOther) await password.chown(process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    await password.chmod(0o600);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message.split("\n").slice(1).join(" ").trim() : "";
    throw new Failure(
      "source_unavailable",
      `Could not create the embedded PostgreSQL in ${cluster.directory}: ${detail || "initdb failed"}. ` +
        "Set DATABASE_URL to a PostgreSQL of your own if this machine can't run it.",
      { cause },
    );
  } finally {
    await password.close();
    await data.close();
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
