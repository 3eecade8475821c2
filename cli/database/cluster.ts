import { createHash, randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../core/failure.ts";
import { isErrno } from "../../core/file-store/file-error.ts";
import { isRootsOwn, machineDirectory, runAs, type ServerAccount } from "./server-account.ts";

/** A database cluster on disk and what lies beside it. */
export interface Cluster {
  /** Belongs to this process, so that the server's account can plant nothing in it. */
  readonly directory: string;
  /** PostgreSQL's own data directory. All that belongs to the server's account is in it. */
  readonly data: string;
  readonly passwordFile: string;
  readonly log: string;
}

/** The superuser of an embedded cluster. */
export const superuser = "postgres";

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
  if (!account.isOther || (await isRootsOwn(dataDir))) return usual;
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

function clusterAt(directory: string): Cluster {
  return {
    directory,
    data: join(directory, "cluster"),
    passwordFile: join(directory, "password"),
    log: join(directory, "server.log"),
  };
}

/** Creates the cluster unless it exists; several processes may try at once. Takes about two seconds. */
export async function createCluster(cluster: Cluster, initdb: string, account: ServerAccount): Promise<void> {
  if (await clusterExists(cluster)) return;
  // Made elsewhere and renamed, so that nobody ever sees half a cluster, not even after a crash.
  const unfinished = clusterAt(`${cluster.directory}.new-${randomBytes(8).toString("hex")}`);
  const { directory, data, passwordFile } = unfinished;
  await mkdir(directory, { mode: 0o700 });
  try {
    await mkdir(data, { mode: 0o700 });
    await writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 });
    if (account.isOther) {
      // The folder around them stays root's, so nobody else can put links into their places.
      await Promise.all([data, passwordFile].map((path) => chown(path, account.uid, account.gid)));
      await chmod(directory, 0o711);
    }
    const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
    // Other users of the machine reach the port as well: they need the password, and can't read it.
    const access = [`--username=${superuser}`, "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
    await runAs(account, initdb, [`--pgdata=${data}`, ...locale, ...access]);
    if (account.isOther) await chown(passwordFile, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    await rename(directory, cluster.directory);
  } catch (cause) {
    // The server's account removes its own files: it could turn a folder into a link while root goes through it.
    if (account.isOther) await runAs(account, "find", [data, "-mindepth", "1", "-delete"]).catch(() => {});
    await rm(directory, { recursive: true, force: true });
    // Another process was faster.
    if (isErrno(cause, "ENOTEMPTY", "EEXIST")) return;
    const detail = cause instanceof Error ? cause.message.split("\n").slice(1).join(" ").trim() : "";
    throw new Failure(
      "source_unavailable",
      `Could not create the embedded PostgreSQL in ${cluster.directory}: ${detail || "initdb failed"}. ` +
        "Set DATABASE_URL to a PostgreSQL of your own if this machine can't run it.",
      { cause },
    );
  }
}

export async function clusterExists({ data }: Cluster): Promise<boolean> {
  return (await lstat(data).catch(() => undefined)) !== undefined;
}
